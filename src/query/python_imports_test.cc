#include "query/python_imports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PythonImport import(std::string module) {
  return {0, std::move(module), {}};
}
PythonImport from(int level, std::string module, std::vector<std::string> names) {
  return {level, std::move(module), std::move(names)};
}

TEST(PythonImports, AreFoundHoweverTheyAreWritten) {
  EXPECT_THAT(python_imports("import a\nimport a.b as c, d\n"),
              ElementsAre(import("a"), import("a.b"), import("d")));
  EXPECT_THAT(python_imports("from a.b import c as d, e"), ElementsAre(from(0, "a.b", {"c", "e"})));
  EXPECT_THAT(python_imports("from . import x\nfrom ..a import y\nfrom ... import *"),
              ElementsAre(from(1, "", {"x"}), from(2, "a", {"y"}), from(3, "", {})));
  EXPECT_THAT(python_imports("from a import (\n  b,  # one\n  c,\n)\nimport d"),
              ElementsAre(from(0, "a", {"b", "c"}), import("d")));
  EXPECT_THAT(python_imports("import a, \\\r\n  b; import c\r\n"),
              ElementsAre(import("a"), import("b"), import("c")));
  EXPECT_THAT(python_imports("def f():\n\timport a\ntry: import b\nexcept ImportError: pass"),
              ElementsAre(import("a"), import("b")));
  EXPECT_THAT(python_imports("m = importlib.import_module('a.b')\nn = __import__(\"c\")"),
              ElementsAre(import("a.b"), import("c")));
}

TEST(PythonImports, WhatOnlyLooksLikeOneIsNone) {
  EXPECT_THAT(python_imports("# import a\nx = 1  # from b import c\nimportant = 2\nx.import_ = 3"),
              IsEmpty());
  EXPECT_THAT(python_imports("yield from a\nraise E from None\nprint(import_module(name))"),
              IsEmpty());
  EXPECT_THAT(python_imports("from import x\nfrom a\nimport\nimport 'a'\nfrom"), IsEmpty());
}

TEST(PythonImports, TakeAnyBytes) {
  EXPECT_THAT(python_imports(std::string("import \0a", 9)), IsEmpty());
  EXPECT_THAT(python_imports("from " + std::string(100000, '.') + " import x").at(0).level, 100);
  EXPECT_THAT(python_imports("import caf\xc3\xa9"), ElementsAre(import("caf\xc3\xa9")));
  EXPECT_THAT(python_imports("from a import (b"), ElementsAre(from(0, "a", {"b"})));
  EXPECT_THAT(python_imports(std::string(1 << 20, '\\')), IsEmpty());
}

}  // namespace
}  // namespace lapcast
