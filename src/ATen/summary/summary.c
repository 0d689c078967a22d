/* Event files: each event is a record with a time, a step, and one value of a summary. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ATenSummary.h"
#include "Record.h"

#include "ATen/core/ATenOperations.h"

struct at_summary {
  FILE *file;
};

/* The fields of the messages, by TensorBoard's numbers. */
enum { EVENT_TIME = 1, EVENT_STEP, EVENT_VERSION, EVENT_SUMMARY = 5 };
enum { SUMMARY_VALUE = 1 };
enum {
  VALUE_TAG = 1,
  VALUE_NUMBER,
  VALUE_IMAGE = 4,
  VALUE_HISTOGRAM,
  VALUE_TENSOR = 8,
  VALUE_ABOUT
};
enum { IMAGE_HEIGHT = 1, IMAGE_WIDTH, IMAGE_CHANNELS, IMAGE_DATA };
enum { HISTOGRAM_MIN = 1, HISTOGRAM_MAX, HISTOGRAM_COUNT, HISTOGRAM_SUM, HISTOGRAM_SQUARES };
enum { HISTOGRAM_LIMITS = 6, HISTOGRAM_BUCKETS };
enum { TENSOR_TYPE = 1, TENSOR_SHAPE, TENSOR_STRINGS = 8, TYPE_STRING = 7 };
enum { SHAPE_DIM = 2, DIM_SIZE = 1, ABOUT_PLUGIN = 1, PLUGIN_NAME = 1 };
enum { INTERVALS = 30, MOST_PIXELS = 1 << 26 };

/* --- events ------------------------------------------------------------------------------------- */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Writes an event that has been begun by its time. */
static void write_event(at_summary *s, const at_bytes *event)
{
  THGuard guard;
  at_bytes record;
  at_bytes_enter(&guard, &record);
  at_addRecord(&record, event);
  if (fwrite(record.start, 1, record.length, s->file) != record.length || fflush(s->file))
    at_raise(AT_ERROR_RUNTIME, "the event file cannot be written: %s", strerror(errno));
  THGuard_leave(&guard);
}

/* Writes an event with a value, a message without its tag. */
static void write_value(at_summary *s, const char *tag, int64_t step, const at_bytes *value)
{
  THGuard guards[3];
  at_bytes tagged, summary, event;
  at_bytes_enter(&guards[0], &tagged);
  at_bytes_enter(&guards[1], &summary);
  at_bytes_enter(&guards[2], &event);
  at_field_bytes(&tagged, VALUE_TAG, tag, strlen(tag));
  at_bytes_add(&tagged, value->start, value->length);
  at_field_bytes(&summary, SUMMARY_VALUE, tagged.start, tagged.length);
  at_field_double(&event, EVENT_TIME, now());
  at_field_integer(&event, EVENT_STEP, (uint64_t)step);
  at_field_bytes(&event, EVENT_SUMMARY, summary.start, summary.length);
  write_event(s, &event);
  for (int i = 2; i >= 0; i--)
    THGuard_leave(&guards[i]);
}

/* --- the file ----------------------------------------------------------------------------------- */

void at_summary_free(at_summary *s)
{
  if (s && s->file)
    fclose(s->file);
  THFree(s);
}

static void open_file(at_summary *s, const char *folder)
{
  static int files; /* atomic: of this process */
  char path[4096], host[256] = "";
  if (mkdir(folder, 0777) && errno != EEXIST)
    at_raise(AT_ERROR_RUNTIME, "the folder '%.1000s' cannot be made: %s", folder, strerror(errno));
  gethostname(host, sizeof host - 1);
  const int length = snprintf(path, sizeof path, "%s/events.out.tfevents.%010lld.%s.%ld.%d", folder,
                              (long long)now(), host, (long)getpid(),
                              __atomic_fetch_add(&files, 1, __ATOMIC_RELAXED));
  if (length >= (int)sizeof path)
    at_raise(AT_ERROR_ARGUMENT, "folder is longer than %zu bytes", sizeof path);
  s->file = fopen(path, "wbxe");
  if (!s->file)
    at_raise(AT_ERROR_RUNTIME, "'%.1000s' cannot be written: %s", path, strerror(errno));
  THGuard guard;
  at_bytes event;
  at_bytes_enter(&guard, &event);
  at_field_double(&event, EVENT_TIME, now());
  at_field_bytes(&event, EVENT_VERSION, "brain.Event:2", 13);
  write_event(s, &event);
  THGuard_leave(&guard);
}

at_summary *(at_summary_new)(const char *folder)
{
  const char *const name = "summary_new";
  if (!at_acceptPointer(name, "folder", folder))
    return NULL;
  at_call call;
  at_begin(&call, name);
  at_summary *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    THGuard guard;
    THGuard_enter(&guard, (THUndo)at_summary_free);
    at_summary *const s = guard.what = THAlloc(sizeof *s);
    s->file = NULL;
    open_file(s, folder);
    made = THGuard_keep(&guard);
  }
  at_failed(&call);
  return made;
}

/* --- values ------------------------------------------------------------------------------------- */

typedef struct Given {
  const char *text;
  at_tensor *t;
  double number;
} Given;

static void put_number(at_bytes *value, const Given *given)
{
  at_field_float(value, VALUE_NUMBER, (float)given->number);
}

static void put_text(at_bytes *value, const Given *given)
{
  static const uint8_t shape[] = {SHAPE_DIM << 3 | 2, 2, DIM_SIZE << 3, 1}; /* one string */
  static const char about[] = {
      ABOUT_PLUGIN << 3 | 2, 6, PLUGIN_NAME << 3 | 2, 4, 't', 'e', 'x', 't'};
  THGuard guard;
  at_bytes tensor;
  at_bytes_enter(&guard, &tensor);
  at_field_integer(&tensor, TENSOR_TYPE, TYPE_STRING);
  at_field_bytes(&tensor, TENSOR_SHAPE, shape, sizeof shape);
  at_field_bytes(&tensor, TENSOR_STRINGS, given->text, strlen(given->text));
  at_field_bytes(value, VALUE_TENSOR, tensor.start, tensor.length);
  at_field_bytes(value, VALUE_ABOUT, about, sizeof about);
  THGuard_leave(&guard);
}

/* A contiguous copy on the CPU. */
static at_tensor *copy_of(at_pool *pool, at_tensor *t, at_scalar_type type)
{
  return at_hold(pool, at_newCast(t, AT_CPU(type)));
}

static void count_values(at_bytes *histogram, const double *values, int64_t count)
{
  double least = values[0], most = values[0], sum = 0, squares = 0;
  double limits[INTERVALS], buckets[INTERVALS] = {0};
  for (int64_t i = 0; i < count; i++) {
    if (!isfinite(values[i]))
      at_raise(AT_ERROR_ARGUMENT, "element %lld of values is %g", (long long)i, values[i]);
    least = THMin(least, values[i]);
    most = THMax(most, values[i]);
    sum += values[i];
    squares += values[i] * values[i];
  }
  const double width = most / INTERVALS - least / INTERVALS; /* the difference may overflow */
  for (int b = 0; b < INTERVALS; b++)
    limits[b] = b == INTERVALS - 1 ? most : least + width * (b + 1);
  for (int64_t i = 0; i < count; i++) {
    const double at = width > 0 ? values[i] / width - least / width : 0;
    buckets[(int)THMin(THMax(at, 0), INTERVALS - 1)]++;
  }
  at_field_double(histogram, HISTOGRAM_MIN, least);
  at_field_double(histogram, HISTOGRAM_MAX, most);
  at_field_double(histogram, HISTOGRAM_COUNT, (double)count);
  at_field_double(histogram, HISTOGRAM_SUM, sum);
  at_field_double(histogram, HISTOGRAM_SQUARES, squares);
  at_field_bytes(histogram, HISTOGRAM_LIMITS, limits, sizeof limits);
  at_field_bytes(histogram, HISTOGRAM_BUCKETS, buckets, sizeof buckets);
}

static void put_histogram(at_bytes *value, const Given *given)
{
  if (at_numel(given->t) == 0 || at_isComplex(given->t->type->scalarType))
    at_raise(AT_ERROR_ARGUMENT, "values is a %s of size (%s), and has to have real elements",
             given->t->type->name, at_sizeDesc(at_sizesOf(given->t)).str);
  at_pool pool;
  at_pool_enter(&pool);
  THGuard guard;
  at_bytes histogram;
  at_tensor *const values = copy_of(&pool, given->t, AT_DOUBLE);
  at_bytes_enter(&guard, &histogram);
  count_values(&histogram, at_data(values), at_numel(values));
  at_field_bytes(value, VALUE_HISTOGRAM, histogram.start, histogram.length);
  THGuard_leave(&guard);
  at_pool_leave(&pool);
}

/* The pixels of planes as bytes, those of one pixel together. */
static at_tensor *pixels_of(at_pool *pool, at_tensor *image)
{
  at_tensor *const moved =
      at_hold(pool, at_viewTranspose(at_hold(pool, at_viewTranspose(image, 0, 1)), 1, 2));
  if (image->type->scalarType == AT_BYTE)
    return copy_of(pool, moved, AT_BYTE);
  at_tensor *const values = copy_of(pool, moved, AT_DOUBLE);
  at_tensor *const bytes = at_hold(pool, at_newShape(AT_CPU(AT_BYTE), at_sizesOf(values)));
  const double *const from = at_data(values);
  uint8_t *const to = at_data(bytes);
  for (int64_t i = 0; i < at_numel(values); i++) /* NaN is black */
    to[i] = (uint8_t)(from[i] > 0 ? THMin(from[i], 1) * 255 + 0.5 : 0);
  return bytes;
}

static void put_image(at_bytes *value, const Given *given)
{
  at_tensor *const image = given->t;
  const at_ints sizes = at_sizesOf(image);
  if (sizes.count != 3 || (sizes.data[0] != 1 && sizes.data[0] != 3) || at_numel(image) == 0 ||
      at_numel(image) > MOST_PIXELS)
    at_raise(AT_ERROR_ARGUMENT,
             "image has size (%s), and has to be 1 or 3 x height x width, with up to %d elements",
             at_sizeDesc(sizes).str, MOST_PIXELS);
  if (image->type->scalarType != AT_BYTE && !at_isFloating(image->type->scalarType))
    at_raise(AT_ERROR_TYPE, "image is of type %s, and has to be of Byte or a floating type",
             image->type->name);
  const int channels = (int)sizes.data[0];
  const int64_t rows = sizes.data[1], columns = sizes.data[2];
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const pixels = pixels_of(&pool, image);
  THGuard guards[2];
  at_bytes picture, png;
  at_bytes_enter(&guards[0], &picture);
  at_bytes_enter(&guards[1], &png);
  at_addPng(&png, at_data(pixels), rows, columns, channels);
  at_field_integer(&picture, IMAGE_HEIGHT, (uint64_t)rows);
  at_field_integer(&picture, IMAGE_WIDTH, (uint64_t)columns);
  at_field_integer(&picture, IMAGE_CHANNELS, (uint64_t)channels);
  at_field_bytes(&picture, IMAGE_DATA, png.start, png.length);
  at_field_bytes(value, VALUE_IMAGE, picture.start, picture.length);
  THGuard_leave(&guards[1]);
  THGuard_leave(&guards[0]);
  at_pool_leave(&pool);
}

/* Adds a value that put writes. */
static bool add(at_summary *s, const char *name, const char *tag, int64_t step,
                void (*put)(at_bytes *, const Given *), const Given *given)
{
  if (!at_acceptPointer(name, "summary", s) || !at_acceptPointer(name, "tag", tag))
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    THGuard guard;
    at_bytes value;
    at_bytes_enter(&guard, &value);
    put(&value, given);
    write_value(s, tag, step, &value);
    THGuard_leave(&guard);
  }
  return !at_failed(&call);
}

bool(at_summary_scalar)(at_summary *s, const char *tag, double value, int64_t step)
{
  return add(s, "summary_scalar", tag, step, put_number, &(Given){.number = value});
}

bool(at_summary_histogram)(at_summary *s, const char *tag, at_tensor *values, int64_t step)
{
  const char *const name = "summary_histogram";
  return at_accept(name, "values", values, false) &&
         add(s, name, tag, step, put_histogram, &(Given){.t = values});
}

bool(at_summary_image)(at_summary *s, const char *tag, at_tensor *image, int64_t step)
{
  const char *const name = "summary_image";
  return at_accept(name, "image", image, false) &&
         add(s, name, tag, step, put_image, &(Given){.t = image});
}

bool(at_summary_text)(at_summary *s, const char *tag, const char *text, int64_t step)
{
  const char *const name = "summary_text";
  return at_acceptPointer(name, "text", text) &&
         add(s, name, tag, step, put_text, &(Given){.text = text});
}
