/// An answer whose head is written could not be read to its end: the client is to see that it is short.
struct BrokenAnswer: Error {
    let cause: any Error
}
