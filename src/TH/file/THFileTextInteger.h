/* THFileText.c includes this for each type of integers that texts have as numbers: integer, and Name in
 * the names of functions. */
static int TH_CONCAT_2(parse_, Name)(THFileText *text, void *element)
{
  int64_t value;
  const int good = parse_integer(text, sizeof(integer), &value);
  if (good)
    *(integer *)element = (integer)value;
  return good;
}

static int TH_CONCAT_2(format_, Name)(char *to, const void *element)
{
  const long long value = *(const integer *)element;
  return snprintf(to, TH_FILE_NUMBER_LENGTH, "%lld", value);
}

#undef integer
#undef Name
