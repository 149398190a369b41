package cli

import "testing"

// TestCommandLine: what a report prints as "again" has every value of a flag that may
// be repeated as a flag of its own, as it has to be typed.
func TestCommandLine(t *testing.T) {
	cmd := newRun(&State{})
	args := []string{
		"idempotent", "--feature=transaction.version=0", "--feature=group.version=1", "--topic-config=retention.ms=-1",
		"--topic-config=compression.type=lz4", "--client=franz", "--variant=acks=all", "--keep", "--format=json", "-X", "linger.ms=5",
	}
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	const want = "run idempotent --client=franz --feature=transaction.version=0 --feature=group.version=1 --keep=true " +
		"-X linger.ms=5 --topic-config=retention.ms=-1 --topic-config=compression.type=lz4 --variant=acks=all --seed=1"
	if got := commandLine(cmd, cmd.Flags().Args()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
