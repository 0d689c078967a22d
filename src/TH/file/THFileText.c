/* Numbers as text: read character by character, so that nothing after a number is taken; written as
 * by printf.  Both in the C locale, whatever the program's locale. */
#define _GNU_SOURCE /* strtod_l */
#include "THFileKinds.h"
#include "TH/core/THFormat.h"
#include "TH/core/THHalfBits.h"

/* --- characters ---------------------------------------------------------------------------- */

void THFileText_begin(THFileText *text, THFile *file)
{
  *text = (THFileText){.file = file};
}

void THFileText_end(THFileText *text)
{
  text->file->vtable->skip(text->file, (size_t)(text->at - text->start));
  text->start = text->at;
}

int THFileText_peek(THFileText *text)
{
  if (text->at == text->end) {
    THFileText_end(text);
    size_t n;
    text->start = text->at = text->file->vtable->ahead(text->file, &n);
    text->end = text->start + n;
    if (n == 0)
      return -1;
  }
  return (unsigned char)*text->at;
}

static int is_digit(int c)
{
  return c >= '0' && c <= '9';
}

static int is_hexadecimal(int c)
{
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int is_payload(int c)
{
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_space(THFileText *text)
{
  for (;;) {
    const int c = THFileText_peek(text);
    if (c != ' ' && (c < '\t' || c > '\r'))
      return;
    text->at++;
  }
}

/* --- integers ------------------------------------------------------------------------------ */

/* A signed integer of size bytes.  A number that is too large is read nevertheless, and
 * reported. */
static int parse_integer(THFileText *text, size_t size, int64_t *value)
{
  skip_space(text);
  const int sign = THFileText_peek(text);
  if (sign == '-' || sign == '+')
    text->at++;
  const uint64_t most = (UINT64_C(1) << (8 * size - 1)) - (sign != '-');

  uint64_t magnitude = 0;
  int digits = 0, fits = 1;
  for (int c; is_digit(c = THFileText_peek(text)); text->at++) {
    const unsigned digit = (unsigned)(c - '0');
    fits = fits && magnitude <= (most - digit) / 10;
    if (fits)
      magnitude = magnitude * 10 + digit;
    digits = 1;
  }
  if (!digits && THFileText_peek(text) >= 0)
    text->file->why = "there is no whole number";
  else if (!fits)
    text->file->why = "a number is too large";
  *value = (int64_t)(sign == '-' ? 0 - magnitude : magnitude);
  return digits && fits;
}

#define integer int16_t
#define Name    Short
#include "THFileTextInteger.h"
#define integer int32_t
#define Name    Int
#include "THFileTextInteger.h"
#define integer int64_t
#define Name    Long
#include "THFileTextInteger.h"

/* --- the C locale -------------------------------------------------------------------------- */

static locale_t get_c_locale(void)
{
  const locale_t locale = THFormat_locale();
  if (!locale)
    THError("cannot make the C locale to read and write numbers in");
  return locale;
}

/* --- floating-point numbers ------------------------------------------------------------------ */

enum { TOKEN_LIMIT = 2048 };

/* The characters of one number. */
typedef struct {
  THFileText *text;
  size_t length;
  char character[TOKEN_LIMIT];
} Token;

static void take(Token *token)
{
  if (token->length < TOKEN_LIMIT)
    token->character[token->length++] = *token->text->at;
  token->text->at++;
}

/* Takes the next character if it is one of set. */
static int take_any(Token *token, const char *set)
{
  const int c = THFileText_peek(token->text);
  if (c <= 0 || !strchr(set, c))
    return 0;
  take(token);
  return 1;
}

/* Takes a word, in small letters or capitals: both are given, as "nNfF". */
static int take_word(Token *token, const char *letters)
{
  for (; *letters; letters += 2)
    if (!take_any(token, (char[]){letters[0], letters[1], 0}))
      return 0;
  return 1;
}

static int take_run(Token *token, int (*belongs)(int c))
{
  int taken = 0;
  for (; belongs(THFileText_peek(token->text)); taken = 1)
    take(token);
  return taken;
}

/* Digits with a point and an exponent; after 0x hexadecimal ones. */
static int take_digits(Token *token)
{
  int (*belongs)(int c) = is_digit;
  const char *exponent = "eE";
  int digits = take_any(token, "0");
  if (digits && take_any(token, "xX")) {
    belongs = is_hexadecimal;
    exponent = "pP";
    digits = 0;
  }
  digits |= take_run(token, belongs);
  if (take_any(token, "."))
    digits |= take_run(token, belongs);
  if (!digits)
    return 0;
  if (!take_any(token, exponent))
    return 1;
  take_any(token, "+-");
  return take_run(token, is_digit);
}

/* Takes the characters of a number that strtod accepts, and no more. */
static int take_number(Token *token)
{
  take_any(token, "+-");
  if (take_any(token, "iI"))
    return take_word(token, "nNfF") && (!take_any(token, "iI") || take_word(token, "nNiItTyY"));
  if (take_any(token, "nN")) {
    if (!take_word(token, "aAnN"))
      return 0;
    if (!take_any(token, "("))
      return 1;
    take_run(token, is_payload);
    return take_any(token, ")");
  }
  return take_digits(token);
}

/* Reads a number into token, ended by a NUL; 0 if there is none. */
static int read_token(THFileText *text, Token *token)
{
  token->text = text;
  token->length = 0;
  skip_space(text);
  const int found = take_number(token), atEnd = THFileText_peek(text) < 0;
  if (token->length == TOKEN_LIMIT)
    text->file->why = "a number is too long";
  else if (!found && !atEnd)
    text->file->why = "there is no number";
  if (!found || token->length == TOKEN_LIMIT)
    return 0;
  token->character[token->length] = 0;
  return 1;
}

static int parse_Float(THFileText *text, void *element)
{
  Token token;
  if (!read_token(text, &token))
    return 0;
  *(float *)element = strtof_l(token.character, NULL, get_c_locale());
  return 1;
}

static int parse_Double(THFileText *text, void *element)
{
  Token token;
  if (!read_token(text, &token))
    return 0;
  *(double *)element = strtod_l(token.character, NULL, get_c_locale());
  return 1;
}

static int parse_Half(THFileText *text, void *element)
{
  double value;
  if (!parse_Double(text, &value))
    return 0;
  *(THHalf *)element = TH_float2half(THHalf_cutDouble(value));
  return 1;
}

static int format(char *to, int digits, double value)
{
  get_c_locale();
  return THFormat(to, TH_FILE_NUMBER_LENGTH, "%.*g", digits, value);
}

static int format_Float(char *to, const void *element)
{
  return format(to, 9, *(const float *)element);
}

static int format_Double(char *to, const void *element)
{
  return format(to, 17, *(const double *)element);
}

static int format_Half(char *to, const void *element)
{
  return format(to, 9, TH_half2float(*(const THHalf *)element));
}

/* --- the types ------------------------------------------------------------------------------- */

#define parse_Byte  NULL
#define parse_Char  NULL
#define format_Byte NULL
#define format_Char NULL

const THFileNumber THFile_numbers[] = {
#define TH_NUMBER_ROW(Real, real, accreal) \
  [THScalar##Real] = {#Real, sizeof(real), parse_##Real, format_##Real},
    TH_FOR_EACH_TYPE(TH_NUMBER_ROW)};
