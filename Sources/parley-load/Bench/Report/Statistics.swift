/// What is said about the values of several runs.
enum Statistics {
    /// The middle value, or the mean of the two in the middle; zero without values.
    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// From the lowest to the highest value, in percent of the median.
    static func spread(_ values: [Double]) -> Double {
        guard let low = values.min(), let high = values.max(), median(values) != 0 else { return 0 }
        return (high - low) / abs(median(values)) * 100
    }
}
