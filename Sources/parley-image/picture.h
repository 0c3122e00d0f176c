// What is passed between the steps that make one picture of another.
#ifndef PARLEY_PICTURE_H
#define PARLEY_PICTURE_H

#include <stddef.h>
#include <stdint.h>

enum verdict { made = 0, unsupported = 1, unreadable = 2 };

enum format { format_jpeg = 1, format_png = 2, format_webp = 3 };

// More is refused before it is decoded.
#define MOST_PIXELS 50000000
#define MOST_SIDE 60000
// Each way, of what is kept.
#define KEPT_SIDE 1920
#define KEPT_BYTES 2000000
#define THUMBNAIL_SIDE 200

// Pixels of four bytes: red, green, blue and how opaque they are.
struct picture {
    int width, height;
    int has_alpha;
    // Whether nothing of it can be clear, whatever its fourth byte says.
    int is_solid;
    uint8_t *pixels;
    // The profile of its colours, where it brings one.
    uint8_t *profile;
    size_t profile_length;
    // As EXIF counts: 1 to 8.
    int orientation;
    // Where the pixels are cyan, magenta, yellow and black, as JPEG has them for printing, inverted.
    int is_cmyk;
};

struct bytes {
    uint8_t *data;
    size_t length;
};

struct answer {
    enum format format, thumbnail_format;
    int width, height;
    struct bytes full, thumbnail;
    char blurhash[64];
};

// What comes in, to what is kept: the whole work of the program. The answer is the caller's to free.
enum verdict make_picture(const uint8_t *data, size_t length, struct answer *answer);
void free_answer(struct answer *answer);

enum verdict decode_jpeg(const uint8_t *data, size_t length, struct picture *picture);
enum verdict decode_png(const uint8_t *data, size_t length, struct picture *picture);
enum verdict decode_webp(const uint8_t *data, size_t length, struct picture *picture);

// Whether a picture of this size is taken.
int is_fit(uint64_t width, uint64_t height);
// How a picture is to be turned, by the bytes of its EXIF from "II" or "MM" on; 1 where they do not say.
int exif_orientation(const uint8_t *exif, size_t length);

// The size with the same proportions that fits into a square of this side, where it does not already.
void fit(int *width, int *height, int side);

// What becomes of a picture whose lines come one after another, from the top: so that the large one is never there as a whole.
struct scaling {
    int width, height, is_solid;
    // Lines that have come, and that are made.
    int taken, done;
    // Null where the size stays.
    struct span *columns, *rows;
    void *shrunk, *sums;
    uint8_t *pixels;
};

// Answers 0 where there is no memory for it. It is to be ended nevertheless.
int begin_scaling(struct scaling *scaling, int from_width, int from_height, int width, int height, int is_solid);
// Not where the new picture is to have more lines.
void scale_line(struct scaling *scaling, const uint8_t *line);
// Answers with the new pixels, which are the caller's to free.
uint8_t *end_scaling(struct scaling *scaling);

struct window {
    int left, top, width, height;
};

// What is in the window in another size, the caller's to free; null where there is no memory for it.
uint8_t *resized(const struct picture *picture, struct window window, int width, int height);

// Each of these puts a new picture in the place of the old one, and answers 0 where there is no memory for it.
int resize(struct picture *picture, int width, int height);
int turn_upright(struct picture *picture);
void to_srgb(struct picture *picture);
// Before confining, what the C library asks the kernel for once: the time zone, as a profile has the time of its making, and how
// much memory there is, before it sorts more than a kilobyte, as libwebp does with what is clear in many ways.
void warm_up(void);
void find_alpha(struct picture *picture);
void free_picture(struct picture *picture);

int encode_jpeg(const struct picture *picture, int quality, struct bytes *out);
int encode_png(const struct picture *picture, struct bytes *out);
int encode_webp(const struct picture *picture, int quality, struct bytes *out);

void write_blurhash(const struct picture *picture, char *out);

// Takes every right away that decoding does not need, and stands back by that niceness (0 to 19); 0 where that fails.
int confine(int niceness);

#endif
