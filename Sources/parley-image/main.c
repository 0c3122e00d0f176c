// Makes one picture fit to be shown of one that somebody has uploaded, and ends. It talks to the server by its standard input
// and output alone; what it decodes may be made to break it, so it gives up every right first.

#include "picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// As much as the server ever sends.
#define MOST_INPUT (64u << 20)

static const uint8_t mark[4] = {'P', 'I', 'M', '1'};

static int read_all(uint8_t *to, size_t count) {
    while (count > 0) {
        ssize_t got = read(0, to, count);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        to += got;
        count -= (size_t)got;
    }
    return 1;
}

static int write_all(const uint8_t *from, size_t count) {
    while (count > 0) {
        ssize_t put = write(1, from, count);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return 0;
        from += put;
        count -= (size_t)put;
    }
    return 1;
}

static void put_number(uint8_t *to, uint32_t number) {
    to[0] = (uint8_t)(number >> 24);
    to[1] = (uint8_t)(number >> 16);
    to[2] = (uint8_t)(number >> 8);
    to[3] = (uint8_t)number;
}

// The server says so where a picture has waited for a processor long enough.
static int niceness_of(int count, char **arguments) {
    long niceness = count > 1 ? strtol(arguments[1], NULL, 10) : 19;
    return niceness >= 0 && niceness <= 19 ? (int)niceness : 19;
}

int main(int count, char **arguments) {
    warm_up();
    // Says that it is there, and confined.
    if (!confine(niceness_of(count, arguments)) || !write_all(mark, sizeof mark)) return 3;
    uint8_t head[8];
    if (!read_all(head, sizeof head) || memcmp(head, mark, sizeof mark) != 0) return 0;
    uint32_t length = (uint32_t)head[4] << 24 | (uint32_t)head[5] << 16 | (uint32_t)head[6] << 8 | head[7];
    if (length == 0 || length > MOST_INPUT) return 1;
    uint8_t *data = malloc(length);
    if (data == NULL || !read_all(data, length)) return 1;
    struct answer answer;
    enum verdict verdict = make_picture(data, length, &answer);
    uint8_t reply[20] = {(uint8_t)verdict};
    if (verdict != made) return write_all(reply, sizeof reply) ? 0 : 1;
    size_t hash_length = strlen(answer.blurhash);
    reply[1] = (uint8_t)answer.format;
    reply[2] = (uint8_t)answer.thumbnail_format;
    reply[3] = (uint8_t)hash_length;
    put_number(reply + 4, (uint32_t)answer.width);
    put_number(reply + 8, (uint32_t)answer.height);
    put_number(reply + 12, (uint32_t)answer.full.length);
    put_number(reply + 16, (uint32_t)answer.thumbnail.length);
    int is_told = write_all(reply, sizeof reply) && write_all((const uint8_t *)answer.blurhash, hash_length)
        && write_all(answer.full.data, answer.full.length) && write_all(answer.thumbnail.data, answer.thumbnail.length);
    return is_told ? 0 : 1;
}
