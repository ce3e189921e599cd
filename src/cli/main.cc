namespace lapcast {
int run_lapcast(int argc, char** argv);
}

int main(int argc, char** argv) {
  return lapcast::run_lapcast(argc, argv);
}
