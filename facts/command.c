#include "command.h"

#include <string.h>

/* Without the quotes, brackets and commas that logs and scripts put around words. */
static struct word bare(struct word word) {
  static const char marks[] = "[](){},;:'\"`";
  while (word.size > 0 && strchr(marks, word.text[0])) {
    word.text++;
    word.size--;
  }
  while (word.size > 0 && strchr(marks, word.text[word.size - 1])) {
    word.size--;
  }
  return word;
}

static bool is_tool(struct word word) {
  for (size_t i = word.size; i > 0; i--) {
    if (word.text[i - 1] == '/') {
      word = (struct word){word.text + i, word.size - i};
      break;
    }
  }
  return word_is(word, "mlxconfig") || word_is(word, "mstconfig") || word_is(word, "mlxconfig.exe");
}

static bool is_device(struct word word) {
  for (size_t i = 0; i < word.size; i++) {
    char c = word.text[i];
    if (!(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && !strchr("_./:-", c)) {
      return false;
    }
  }
  return word.size > 0;
}

static bool is_upper_name(struct word word) {
  for (size_t i = 0; i < word.size; i++) {
    char c = word.text[i];
    if (!(c >= 'A' && c <= 'Z') && !(i > 0 && ((c >= '0' && c <= '9') || strchr("_[].", c)))) {
      return false;
    }
  }
  return word.size > 1;
}

static void read_argument(struct word word, struct command *command) {
  enum parameter parameter = parameter_of(word);
  if (word_is(word, "q") || word_is(word, "query")) {
    command->query = true;
  } else if (word_is(word, "s") || word_is(word, "set") || word_is(word, "r") || word_is(word, "reset")) {
    command->set = true;
  } else if (word_is(word, "-e") || word_is(word, "--show_default") || word_is(word, "--enable_verbosity")) {
    command->enumerates = true;
  } else if (command->query && is_upper_name(word)) {
    command->names = true;
    if (parameter < PARAMETERS) {
      command->asked[parameter] = true;
    }
  }
}

bool read_command(const char *line, struct command *command) {
  struct word word;
  bool tool = false, device = false;
  *command = (struct command){0};
  while (next_word(&line, &word)) {
    struct word argument = bare(word);
    if (!tool) {
      tool = is_tool(argument);
    } else if (memchr(word.text, '|', word.size) || memchr(word.text, '>', word.size)) {
      command->piped = true;
      break;
    } else if (device && is_device(argument)) {
      word_copy(command->device, sizeof command->device, argument);
    } else {
      read_argument(argument, command);
    }
    device = tool && (word_is(argument, "-d") || word_is(argument, "--dev"));
  }
  return command->query || command->set;
}
