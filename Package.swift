// swift-tools-version: 6.2
import PackageDescription

// Deploy/bench-micro sets it, so that nobody else needs what only benchmarks need.
let isBenchmarking = Context.environment["PARLEY_BENCHMARKS"] == "1"
// Deploy/test sets it, and builds each module as one whole, as for release, but optimises none (decision 0103): what is built is
// as in a debug build, with its assertions and all that tests see of it.
let isTesting = Context.environment["PARLEY_TESTING"] == "1"

// PARLEY_WARNINGS=error, as the tests set it, makes warnings in Parley's own targets errors.
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (Context.environment["PARLEY_WARNINGS"] == "error" ? [.treatAllWarnings(as: .error)] : [])
    // Benchmarks see what is internal, as tests do, and are built for release.
    + (isBenchmarking || isTesting ? [.unsafeFlags(["-enable-testing"])] : [])
    + (isTesting ? [.define("DEBUG")] : [])
// Not as one whole, which one processor would compile: by far the largest of the modules comes last, when there is nothing
// beside it.
let settingsInParts =
    settings + (isTesting ? [.unsafeFlags(["-no-whole-module-optimization", "-enable-batch-mode"])] : [])

// Deploy/build and whoever packages the program tell which commit it is of. Only the C target reads it, so that nothing else
// is built anew for it.
let commit = Context.environment["PARLEY_COMMIT"].map { $0.filter(\.isHexDigit) } ?? ""

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let hashTrees = Target.Dependency.product(name: "HashTreeCollections", package: "swift-collections")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let hummingbirdTesting = Target.Dependency.product(name: "HummingbirdTesting", package: "hummingbird")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

// What those need in turn: Package.resolved is not committed, so that every version stands here. SwiftPM warns of a package
// that no target names, and so CBuild does, for a platform that nobody builds for.
let indirectPackages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-algorithms", exact: "1.2.1"),
    .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
    .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
    .package(url: "https://github.com/apple/swift-atomics", exact: "1.3.0"),
    .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
    .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: []),
    .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
    .package(url: "https://github.com/apple/swift-http-structured-headers", exact: "1.7.0"),
    .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-nio-transport-services", exact: "1.28.0"),
    .package(url: "https://github.com/apple/swift-numerics", exact: "1.1.1"),
    .package(url: "https://github.com/apple/swift-service-context", exact: "1.5.1"),
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
]
let indirectProducts = [
    ("Algorithms", "swift-algorithms"),
    ("SwiftASN1", "swift-asn1"),
    ("AsyncAlgorithms", "swift-async-algorithms"),
    ("Atomics", "swift-atomics"),
    ("X509", "swift-certificates"),
    ("Configuration", "swift-configuration"),
    ("Tracing", "swift-distributed-tracing"),
    ("StructuredFieldValues", "swift-http-structured-headers"),
    ("NIOHTTP2", "swift-nio-http2"),
    ("NIOSSL", "swift-nio-ssl"),
    ("NIOTransportServices", "swift-nio-transport-services"),
    ("Numerics", "swift-numerics"),
    ("ServiceContextModule", "swift-service-context"),
    ("SystemPackage", "swift-system"),
].map { Target.Dependency.product(name: $0, package: $1, condition: .when(platforms: [.wasi])) }

/// A target of Parley's own, and one of its tests: of nothing but Swift.
func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}
func tests(_ name: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = settings) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "parley",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "parley", targets: ["parley"]),
        .executable(name: "parley-image", targets: ["parley-image"]),
        .executable(name: "parley-load", targets: ["parley-load"]),
        .library(name: "ParleyWire", targets: ["ParleyWire"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird",
            exact: "2.28.1",
            traits: ["FullFoundation"]
        ),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ] + indirectPackages,
    targets: [
        .target(
            name: "CBuild",
            dependencies: indirectProducts,
            cSettings: [.define("PARLEY_COMMIT", to: "\"\(commit)\"")]
        ),
        .systemLibrary(
            name: "CCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
        ),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(
            name: "Confusables",
            exclude: ["Embedded", "LICENSE-UNICODE"],
            swiftSettings: settings,
            plugins: ["EmbedFiles"]
        ),
        module("EventSourcing", []),
        module("ParleyWire", []),
        module("Postgres", ["CLibPQ", crypto, deque, logging, metrics]),
        module("Hints", ["Postgres", lifecycle, logging]),
        module("Messaging", ["EventSourcing", crypto, hashTrees]),
        module("EventStore", ["EventSourcing", "Postgres", coreMetrics, crypto, deque, logging, metrics]),
        module(
            "ReadModels",
            [
                "Confusables", "EventSourcing", "EventStore", "Messaging", "ParleyWire", "Postgres", coreMetrics,
                lifecycle, logging,
            ]
        ),
        module("Mail", ["CCurl"]),
        module("Outbound", [httpClient, lifecycle, logging, nio, nioHTTP1, nioPosix, nioSSL]),
        module(
            "Identity",
            [
                "Confusables", "Mail", "Postgres", coreMetrics, crypto, cryptoExtras, deque, lifecycle, logging,
                metrics,
            ]
        ),
        module(
            "Attachments",
            [
                "EventSourcing", "EventStore", "Messaging", "ParleyWire", "Postgres", coreMetrics, crypto, httpClient,
                lifecycle, logging, metrics, nio, nioHTTP1, nioPosix,
            ]
        ),
        .systemLibrary(name: "CJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg-dev"]), .brew(["jpeg-turbo"])]),
        .systemLibrary(name: "CSPNG", pkgConfig: "spng", providers: [.apt(["libspng-dev"]), .brew(["libspng"])]),
        .systemLibrary(
            name: "CWebP",
            pkgConfig: "libwebpdemux",
            providers: [.apt(["libwebp-dev"]), .brew(["webp"])]
        ),
        .systemLibrary(name: "CLCMS", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"]), .brew(["little-cms2"])]),
        // In C, like all that it calls, and so small that one is started for every picture.
        .executableTarget(
            name: "parley-image",
            dependencies: ["CJPEG", "CSPNG", "CWebP", "CLCMS"],
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]
        ),
        module(
            "Edge",
            [
                "CZlib", "Confusables", "Identity", "ParleyWire", crypto, deque, httpTypes, hummingbird,
                hummingbirdCore, logging, metrics, nio, nioHTTP1, nioHTTPTypes, nioHTTPTypesHTTP1,
            ]
        ),
        module(
            "Live",
            [
                "Edge", "EventSourcing", "EventStore", "Messaging", "ParleyWire", "Postgres", "ReadModels",
                coreMetrics, deque, lifecycle, logging, metrics, nio,
            ]
        ),
        module(
            "Reactors",
            [
                "EventSourcing", "EventStore", "Identity", "Messaging", "Outbound", "ParleyWire", "Postgres",
                "ReadModels", coreMetrics, crypto, cryptoExtras, lifecycle, logging, metrics, nioHTTP1,
            ]
        ),
        module("OpenID", ["Identity", "Outbound", crypto, cryptoExtras, lifecycle, logging, nioHTTP1]),
        .target(
            name: "API",
            dependencies: [
                "Attachments", "Edge", "EventSourcing", "EventStore", "Identity", "Live", "Messaging", "OpenID",
                "ParleyWire",
                "Postgres", "ReadModels", "Reactors", httpTypes, hummingbird, lifecycle, logging, metrics, nio,
            ],
            exclude: ["Embedded"],
            swiftSettings: settings,
            plugins: ["EmbedFiles"]
        ),
        .target(
            name: "Web",
            dependencies: ["Edge", crypto, httpTypes, hummingbird, nio],
            exclude: ["Client"],
            swiftSettings: settings,
            plugins: ["EmbedFiles"]
        ),
        .plugin(
            name: "EmbedFiles",
            capability: .buildTool(),
            dependencies: ["embed-files"],
            path: "Sources/EmbedFiles"
        ),
        .executableTarget(name: "embed-files", swiftSettings: settings),
        .target(
            name: "Migrations",
            dependencies: ["Postgres"],
            path: "Migrations",
            exclude: ["SQL"],
            swiftSettings: settings,
            plugins: ["EmbedFiles"]
        ),
        .executableTarget(
            name: "parley",
            dependencies: [
                "API", "Attachments", "CBuild", "Edge", "EventSourcing", "EventStore", "Hints", "Identity", "Live",
                "Mail", "Messaging", "Migrations", "OpenID", "Outbound", "ParleyWire", "Postgres", "ReadModels",
                "Reactors", "Web", argumentParser, crypto, hummingbird, lifecycle, logging, metrics, nio, nioPosix,
                unixSignals,
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "parley-load",
            dependencies: [
                "CJPEG", "Confusables", "ParleyWire", "Postgres", argumentParser, crypto, deque, histogram, httpClient,
                hummingbird, logging, nio, nioHTTP1, nioPosix, nioSSL, unixSignals,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "TestSupport",
            dependencies: [
                "CZlib", "EventSourcing", "Migrations", "Postgres", crypto, cryptoExtras, httpTypes, hummingbird,
                hummingbirdTLS, logging, metrics, nio, nioHTTP1, nioPosix, nioSSL,
            ],
            resources: [.embedInCode("SMTP/smtp_server.py")],
            swiftSettings: settings
        ),
        tests(
            "APITests",
            [
                "API", "Attachments", "Edge", "EventSourcing", "EventStore", "Identity", "Live", "Mail", "Messaging",
                "Migrations", "OpenID", "Outbound", "ParleyWire", "Postgres", "ReadModels", "Reactors", "TestSupport",
                "Web", crypto, httpTypes, hummingbird, hummingbirdTesting, lifecycle, logging, metrics, nio, nioPosix,
            ],
            settings: settingsInParts
        ),
        tests(
            "AttachmentsTests",
            [
                "Attachments", "EventStore", "Messaging", "ParleyWire", "Postgres", "TestSupport", crypto, logging,
                metrics, nio, nioPosix,
            ]
        ),
        tests("ConfusablesTests", ["Confusables"]),
        tests(
            "EdgeTests",
            [
                "Edge", "Identity", "ParleyWire", "TestSupport", httpTypes, hummingbird, nio, nioEmbedded,
                nioHTTP1, nioHTTPTypesHTTP1, nioPosix,
            ]
        ),
        tests("EventStoreTests", ["EventSourcing", "EventStore", "Messaging", "Postgres", "TestSupport", logging]),
        tests("HintsTests", ["Hints", "Postgres", "TestSupport", logging]),
        tests("IdentityTests", ["Identity", "Mail", "Postgres", "TestSupport", crypto, logging]),
        tests(
            "LiveTests",
            ["EventSourcing", "EventStore", "Live", "Messaging", "ParleyWire", "ReadModels", "TestSupport", nio]
        ),
        tests("MailTests", ["Mail", "TestSupport"]),
        tests("MessagingTests", ["EventSourcing", "Messaging", "TestSupport"]),
        tests("OpenIDTests", ["Identity", "OpenID", "TestSupport", crypto, cryptoExtras, logging]),
        tests("OutboundTests", ["Outbound", "TestSupport", lifecycle, logging, nio, nioHTTP1]),
        tests("ParleyLoadTests", ["ParleyWire", "parley-load", argumentParser, nio]),
        tests("ParleyTests", ["Identity", "Postgres", "TestSupport", "parley", logging]),
        tests("ParleyWireTests", ["ParleyWire", "TestSupport", nio]),
        tests("PostgresTests", ["Postgres", "TestSupport", logging]),
        tests(
            "ReactorsTests",
            [
                "EventSourcing", "EventStore", "Identity", "Messaging", "Migrations", "Outbound", "ParleyWire",
                "Postgres", "ReadModels", "Reactors", "TestSupport", crypto, cryptoExtras, lifecycle, logging, metrics,
                nio, nioHTTP1,
            ]
        ),
        tests(
            "ReadModelsTests",
            [
                "EventSourcing", "EventStore", "Messaging", "Migrations", "ParleyWire", "Postgres", "ReadModels",
                "TestSupport", logging,
            ]
        ),
        tests("TestSupportTests", ["EventSourcing", "Postgres", "TestSupport", logging]),
    ],
    swiftLanguageModes: [.v6]
)

if isBenchmarking {
    // Without its traits it needs no allocator of its own, and reads 0 for allocations.
    package.dependencies.append(.package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []))
    package.targets.append(
        .executableTarget(
            name: "ParleyBenchmarks",
            dependencies: [
                "API", "CLibPQ", "Edge", "EventSourcing", "EventStore", "Identity", "Live", "Messaging", "ParleyWire",
                "Postgres", crypto, nio,
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Tests/Benchmarks/ParleyBenchmarks",
            swiftSettings: settings,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        )
    )
}
