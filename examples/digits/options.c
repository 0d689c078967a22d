/* The command line, read with getopt_long. */
#include "options.h"

#include <errno.h>
#include <getopt.h>

#include "data.h"
#include "fail.h"

enum {
  HELP = 256,
  EPOCHS,
  SEED,
  THREADS,
  TRAIN,
  DEVICE,
  DATA,
  LOAD,
  SAVE,
  PICTURE
}; /* no short options */

static const struct option list[] = {
    {"help", no_argument, NULL, HELP},
    {"epochs", required_argument, NULL, EPOCHS},
    {"seed", required_argument, NULL, SEED},
    {"threads", required_argument, NULL, THREADS},
    {"train", required_argument, NULL, TRAIN},
    {"device", required_argument, NULL, DEVICE},
    {"data", required_argument, NULL, DATA},
    {"load", required_argument, NULL, LOAD},
    {"save", required_argument, NULL, SAVE},
    {"picture", required_argument, NULL, PICTURE},
    {NULL, 0, NULL, 0},
};

void options_help(void)
{
  fputs(
      "usage: digits [OPTION...]\n"
      "\n"
      "Trains a small convolutional network to read handwritten digits: on 1,437 of them it\n"
      "learns, on 360 others, by other writers, it is tested.  Prints what was taken for what,\n"
      "draws digits.png (the loss, and the digits that were misread), and saves the network.\n"
      "\n"
      "  --epochs N      how often the network sees every digit, 1 to 10000 (60)\n"
      "  --seed N        where the random numbers start, 0 to 4294967295 (1); the same seed\n"
      "                  gives the same network, bit for bit, on any number of threads\n"
      "  --threads N     threads to compute with, 1 to 1024 (1)\n"
      "  --train N       learn from the first N digits only, 1 to 1437 (1437)\n"
      "  --device NAME   compute on the cpu, or on a GPU: cuda (cpu)\n"
      "  --data FILE     read the digits from FILE, a gzip-compressed CSV file\n"
      "  --load FILE     test the network saved in FILE instead of training one\n"
      "  --save FILE     save the network to FILE (digits.safetensors; with --load, nowhere)\n"
      "  --picture FILE  draw the picture to FILE (digits.png)\n"
      "  --help          print this text\n",
      stdout);
}

/* The value of an option, a whole number from low to high. */
static int64_t number(const char *name, const char *text, int64_t low, int64_t high)
{
  char *end;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || errno || value < low || value > high)
    fail("--%s takes a whole number from %lld to %lld, not '%s'", name, (long long)low,
         (long long)high, text);
  return value;
}

static Device device(const char *text)
{
  if (strcmp(text, "cpu") != 0 && strcmp(text, "cuda") != 0)
    fail("--device takes cpu or cuda, not '%s'", text);
  return strcmp(text, "cuda") == 0 ? CUDA : CPU;
}

static const char *file(const char *name, const char *text)
{
  if (!*text)
    fail("--%s takes the name of a file, and got an empty one", name);
  return text;
}

Options options_read(int argc, char **argv)
{
  Options options = {
      .epochs = 60, .seed = 1, .threads = 1, .train = TRAIN_ROWS, .picture = "digits.png"};
  int epochsGiven = 0, option, which;

  opterr = 0; /* what getopt would print is said below */
  while ((option = getopt_long(argc, argv, "+:", list, &which)) != -1)
    switch (option) {
      case HELP:
        options.help = 1;
        break;
      case EPOCHS:
        options.epochs = number(list[which].name, optarg, 1, 10000);
        epochsGiven = 1;
        break;
      case SEED:
        options.seed = (uint32_t)number(list[which].name, optarg, 0, UINT32_MAX);
        break;
      case THREADS:
        options.threads = (int)number(list[which].name, optarg, 1, 1024);
        break;
      case TRAIN:
        options.train = (int)number(list[which].name, optarg, 1, TRAIN_ROWS);
        break;
      case DEVICE:
        options.device = device(optarg);
        break;
      case DATA:
        options.data = file(list[which].name, optarg);
        break;
      case LOAD:
        options.load = file(list[which].name, optarg);
        break;
      case SAVE:
        options.save = file(list[which].name, optarg);
        break;
      case PICTURE:
        options.picture = file(list[which].name, optarg);
        break;
      case ':':
        fail("'%s' needs a value (--help lists the options)", argv[optind - 1]);
      default: /* optopt is 0 for an unknown long option, else the letter or option at fault */
        if (optopt >= HELP)
          fail("'%s': this option takes no value", argv[optind - 1]);
        else if (optopt)
          fail("there is no option '-%c' (--help lists those there are)", optopt);
        else
          fail("there is no option '%s' (--help lists those there are)", argv[optind - 1]);
    }
  if (optind < argc)
    fail("'%s' is not an option (--help lists them)", argv[optind]);
  if (options.load && epochsGiven)
    fail("--epochs trains a network and --load takes a trained one: they exclude each other");
  if (!options.load && !options.save)
    options.save = "digits.safetensors";
  return options;
}
