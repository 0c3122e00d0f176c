#include "picture.h"

#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

static void read_metadata(const WebPDemuxer *file, struct picture *picture) {
    WebPChunkIterator chunk;
    if (WebPDemuxGetChunk(file, "ICCP", 1, &chunk)) {
        picture->profile = malloc(chunk.chunk.size);
        if (picture->profile != NULL) {
            memcpy(picture->profile, chunk.chunk.bytes, chunk.chunk.size);
            picture->profile_length = chunk.chunk.size;
        }
        WebPDemuxReleaseChunkIterator(&chunk);
    }
    if (WebPDemuxGetChunk(file, "EXIF", 1, &chunk)) {
        const uint8_t *exif = chunk.chunk.bytes;
        size_t length = chunk.chunk.size;
        // Some write the head that JPEG has.
        if (length > 6 && memcmp(exif, "Exif\0", 6) == 0) {
            exif += 6;
            length -= 6;
        }
        picture->orientation = exif_orientation(exif, length);
        WebPDemuxReleaseChunkIterator(&chunk);
    }
}

// Of an animation the first picture.
enum verdict decode_webp(const uint8_t *data, size_t length, struct picture *picture) {
    WebPData bytes = {data, length};
    WebPDemuxer *file = WebPDemux(&bytes);
    if (file == NULL) return unreadable;
    WebPIterator frame;
    enum verdict verdict = unreadable;
    if (is_fit(WebPDemuxGetI(file, WEBP_FF_CANVAS_WIDTH), WebPDemuxGetI(file, WEBP_FF_CANVAS_HEIGHT))
        && WebPDemuxGetFrame(file, 1, &frame)) {
        if (frame.complete && is_fit((uint64_t)frame.width, (uint64_t)frame.height)) {
            size_t row = (size_t)frame.width * 4;
            picture->width = frame.width;
            picture->height = frame.height;
            picture->pixels = malloc(row * (size_t)frame.height);
            if (picture->pixels != NULL
                && WebPDecodeRGBAInto(
                       frame.fragment.bytes, frame.fragment.size, picture->pixels, row * (size_t)frame.height, (int)row
                   ) != NULL) {
                read_metadata(file, picture);
                verdict = made;
            }
        }
        WebPDemuxReleaseIterator(&frame);
    }
    WebPDemuxDelete(file);
    return verdict;
}
