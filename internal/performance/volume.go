package performance

import (
	"fmt"
	"io"
	"time"

	"kcompare/internal/volume"
)

// volumeName begins the benchmark's name of a client of `make bench-large`.
const volumeName = "Volume"

// VolumeRecords is what each client writes in `make bench-large` unless it is told otherwise.
const VolumeRecords = 20_000_000

// VolumeClients are the clients that are asked to, in this order.
func VolumeClients() []string {
	return []string{"franz", "librdkafka", "sarama", "python", "java", "kafkajs", "kafka-python", "aiokafka", "platformatic"}
}

// WriteVolume writes what came of a client as a line of Go's benchmark format; pieces stand for
// iterations. Speed is that of the client through the proxy, beside a broker on the same
// machine: `kcompare bench` compares clients.
func WriteVolume(w io.Writer, client string, r volume.Result) error {
	n := float64(r.Records)
	lines := []Setting{{versionKey + "client-" + client, r.Library}, {"anomaly-" + client, r.First}, {"unsure-" + client, r.Unsure}}
	for _, l := range lines {
		if l.Value == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", l.Key, l.Value); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "Benchmark%s/%s %d %d audited %d records %d with-offset %d anomalies %d runs %.0f records/s %.0f audited-records/s %.2f client-cpu-us/record %.2f own-cpu-us/record %.2f audit-cpu-us/record %.1f own-peak-MiB %.1f client-peak-MiB\n",
		volumeName, client, r.Pieces, r.Audited, r.Records, r.Placed, r.Anomalies, r.Runs,
		n/r.Writing.Seconds(), n/r.Auditing.Seconds(), micros(r.ClientCPU)/n, micros(r.OwnCPU)/n, micros(r.AuditCPU)/n,
		float64(r.Peak)/(1<<20), float64(r.PeakThere)/(1<<20))
	return err
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// volumeRequirements has each client by name, so that one that did not take part is not measured.
func volumeRequirements() (all []Requirement) {
	for _, c := range VolumeClients() {
		all = append(all, Requirement{"records of " + c + " that were audited", Large, "", volumeName + "/" + c, "audited", false, VolumeRecords})
	}
	return all
}
