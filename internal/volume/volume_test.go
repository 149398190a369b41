//go:build linux

package volume_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"kcompare/clients"
	"kcompare/internal/broker"
	"kcompare/internal/child"
	"kcompare/internal/volume"
)

const records = 2_500

func run(t *testing.T, lie string) volume.Result {
	t.Helper()
	starter := child.NewStarter()
	t.Cleanup(starter.Close)
	program, err := clients.New(t.Context(), starter, clients.Program{
		Client: "doctored", Command: []string{os.Args[0]}, Env: []string{asProgram + "=" + lie},
	})
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := broker.StartEmbedded(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Close() })
	got, err := volume.Run(t.Context(), volume.Options{
		Program: program, Cluster: cluster, Records: records, Piece: 1000, ValueBytes: 20, Topics: "kcompare-large",
		Config:   map[string]string{"acks": "all", "enable.idempotence": "true", "linger.ms": "5"},
		Patience: time.Minute, Now: time.Now,
	}, os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	left, err := topics(t, cluster)
	if err != nil || left != 0 {
		t.Errorf("%d topics are left: %v", left, err)
	}
	return got
}

func topics(t *testing.T, c broker.Cluster) (int, error) {
	t.Helper()
	reader, err := broker.NewReader(c.Addrs(), c.Access())
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	all, err := reader.Topics(t.Context())
	return len(all), err
}

func TestRun(t *testing.T) {
	r := run(t, honest)
	if r.Pieces != 3 || r.Records != records || r.Placed != records || r.Audited != records || r.Unsure != "" || r.Anomalies != 0 || r.First != "" {
		t.Errorf("%d pieces, %d records, %d with offset, %d audited %s, %d anomalies %s: expected 3 pieces, %d records and nothing wrong", r.Pieces, r.Records, r.Placed, r.Audited, r.Unsure, r.Anomalies, r.First, records)
	}
	if r.Runs == 0 || r.Writing <= 0 || r.Auditing <= 0 || r.ClientCPU <= 0 || r.AuditCPU <= 0 || r.OwnCPU < r.AuditCPU || r.Peak <= 0 || r.PeakThere <= 0 || !strings.HasPrefix(r.Library, "franz-go v") {
		t.Errorf("%+v: expected times, costs and the library", r)
	}
}

// TestLies lets a client do wrong by one record in a hundred, and finds each of them.
func TestLies(t *testing.T) {
	const wrong = records / 100
	for _, tc := range []struct {
		lie, first string
		records    int64
		least      int64
	}{
		{twice, "duplicate: ", records + wrong, wrong},
		{skips, "lost: ", records - wrong, wrong},
		{offsets, "offset-mismatch: ", records, wrong},
		{doctors, "corrupted: ", records, wrong},
		{refused, "failed-but-present: ", records, wrong},
	} {
		t.Run(tc.lie, func(t *testing.T) {
			t.Parallel()
			r := run(t, tc.lie)
			if r.Records != tc.records || r.Anomalies < tc.least || !strings.HasPrefix(r.First, tc.first) {
				t.Errorf("%d records, %d anomalies, first %q: expected %d, at least %d and %q", r.Records, r.Anomalies, r.First, tc.records, tc.least, tc.first)
			}
		})
	}
}
