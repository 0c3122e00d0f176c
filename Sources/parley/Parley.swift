import Hummingbird
@main struct Parley { static func main() {} }
