import AsyncHTTPClient
@main struct ParleyLoad { static func main() {} }
