package bench

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"kcompare/internal/evidence"
)

const (
	leastPairs = 3 // of rounds, for an interval

	confidence = 0.95
	power      = 0.9 // how often a difference of BenchRatio.Visible is seen
)

// ratio compares rounds that were played side by side: what slows a machine for a while
// slows both, and is gone from their ratio. Ratios are not symmetric, their logarithms are:
// half as fast and twice as fast lie equally far from the same. So the mean is the
// geometric one, and the interval is Student's t of the logarithms.
func ratio(against string, figures, others []float64) evidence.BenchRatio {
	logs := make([]float64, len(figures))
	for i := range figures {
		logs[i] = math.Log(figures[i] / others[i])
	}
	n := float64(len(logs))
	mean, deviation := stat.MeanStdDev(logs, nil)
	off := deviation / math.Sqrt(n) // standard error of the mean
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}
	reach := off * t.Quantile(1-(1-confidence)/2)
	return evidence.BenchRatio{
		Against: against, Pairs: len(logs),
		Mean: rounded(math.Exp(mean)), Low: rounded(math.Exp(mean - reach)), High: rounded(math.Exp(mean + reach)),
		Visible: rounded(math.Exp(reach+off*t.Quantile(power)) - 1),
	}
}

// geometric is the mean that ratios are about.
func geometric(figures []float64) float64 { return stat.GeometricMean(figures, nil) }

// rounded has six digits that count: evidence says no more than was measured, and other
// processors, whose last bits differ, compute the same.
func rounded(v float64) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}
