#include "serve/guard.h"

#include <gtest/gtest.h>

#include <string>

namespace lapcast {
namespace {

const ServeGuard kReadOnly{8642, "5ec7e7", false};
const ServeGuard kChanging{8642, "5ec7e7", true};

RequestHead get(std::string_view target) {
  return {"GET", target, {"127.0.0.1:8642"}, {}, {"5ec7e7"}, {}};
}

RequestHead change() {
  return {"POST",     "/change",           {"127.0.0.1:8642"}, {"http://127.0.0.1:8642"},
          {"5ec7e7"}, {"application/json"}};
}

unsigned status_of(const RequestHead& head, const ServeGuard& guard = kReadOnly) {
  const auto checked = check_request(head, guard);
  return checked ? 200 : checked.error().status;
}

TEST(ServeGuard, KnowsItsPathsAndNoOthers) {
  EXPECT_EQ(check_request(get("/"), kReadOnly)->route, Route::page);
  EXPECT_EQ(check_request(get("/assets/lapcast.js"), kReadOnly)->route, Route::script);
  EXPECT_EQ(check_request(get("/data"), kReadOnly)->route, Route::document);
  EXPECT_EQ(check_request(get("/data/3f0c8a"), kReadOnly)->name, "3f0c8a");
  EXPECT_EQ(check_request(get("/runs"), kReadOnly)->route, Route::runs);
  EXPECT_EQ(check_request(get("/events"), kReadOnly)->route, Route::events);
  for (const char* target :
       {"", "/data/", "/data/../x", "/data/a/b", "/data/%2e", "/data?x", "//", "/assets/",
        "/assets/../etc/passwd", "*", "http://127.0.0.1:8642/", "/favicon.ico"})
    EXPECT_EQ(status_of(get(target)), 404) << target;
}

TEST(ServeGuard, OnlyThePageAndItsScriptNeedNoToken) {
  for (const char* target : {"/", "/assets/lapcast.js"}) {
    RequestHead head = get(target);
    head.tokens.clear();
    EXPECT_EQ(status_of(head), 200) << target;
  }
  for (const char* target : {"/data", "/data/3f0c", "/runs", "/events"}) {
    RequestHead head = get(target);
    EXPECT_EQ(status_of(head), 200);
    for (const auto& tokens : std::vector<std::vector<std::string_view>>{
             {}, {""}, {"5ec7e"}, {"5ec7e77"}, {"5ec7e8"}, {"5ec7e7", "5ec7e7"}}) {
      head.tokens = tokens;
      EXPECT_EQ(status_of(head), 401) << target;
    }
  }
}

TEST(ServeGuard, AnotherHostIsRefused) {
  for (const char* host : {"127.0.0.1:8642", "localhost:8642", "[::1]:8642"}) {
    RequestHead head = get("/");
    head.hosts = {host};
    EXPECT_EQ(status_of(head), 200) << host;
  }
  for (const char* host : {"", "127.0.0.1", "127.0.0.1:80", "evil.example:8642", "localhost",
                           "127.0.0.1:8642.evil.example", "127.0.0.1:86420", "0.0.0.0:8642"}) {
    RequestHead head = get("/");
    head.hosts = {host};
    EXPECT_EQ(status_of(head), 403) << host;
  }
  RequestHead head = get("/");
  head.hosts = {};
  EXPECT_EQ(status_of(head), 400);
  head.hosts = {"127.0.0.1:8642", "127.0.0.1:8642"};
  EXPECT_EQ(status_of(head), 400);
}

TEST(ServeGuard, AnotherOriginIsRefused) {
  RequestHead head = get("/data");
  head.origins = {"http://127.0.0.1:8642"};
  EXPECT_EQ(status_of(head), 200);
  for (const char* origin : {"null", "", "http://127.0.0.1:8643", "https://127.0.0.1:8642",
                             "http://evil.example", "127.0.0.1:8642", "http://127.0.0.1:8642/"}) {
    head.origins = {origin};
    EXPECT_EQ(status_of(head), 403) << origin;
  }
}

TEST(ServeGuard, ChangesNeedLeaveOriginAndJson) {
  EXPECT_EQ(status_of(change(), kChanging), 200);
  EXPECT_EQ(status_of(change(), kReadOnly), 403);
  RequestHead head = change();
  head.method = "GET";
  EXPECT_EQ(status_of(head, kChanging), 405);
  head = change();
  head.origins.clear();
  EXPECT_EQ(status_of(head, kChanging), 403);
  head = change();
  head.content_types = {"text/plain"};
  EXPECT_EQ(status_of(head, kChanging), 415);
  head.content_types = {"application/json; charset=utf-8"};
  EXPECT_EQ(status_of(head, kChanging), 200);
  head.tokens = {"other"};
  EXPECT_EQ(status_of(head, kChanging), 401);
}

TEST(ServeGuard, OtherMethodsAreRefused) {
  for (const char* method : {"POST", "HEAD", "PUT", "OPTIONS", "get", ""}) {
    RequestHead head = get("/data");
    head.method = method;
    EXPECT_EQ(status_of(head), 405) << method;
  }
}

TEST(ServeGuard, AnEmptySecretIsNobodys) {
  EXPECT_TRUE(is_same_secret("abc", "abc"));
  EXPECT_FALSE(is_same_secret("", ""));
  EXPECT_FALSE(is_same_secret("abcabc", "abc"));
  EXPECT_FALSE(is_same_secret("", "abc"));
}

}  // namespace
}  // namespace lapcast
