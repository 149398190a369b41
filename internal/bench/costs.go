package bench

import (
	"os"
	"time"

	"kcompare/internal/cost"
	"kcompare/internal/evidence"
)

// What a turn costs. A figure that nobody tells is 0, which is left out of evidence.

// meter is where the clocks stood when a turn began.
type meter struct {
	at                  time.Time
	faults              int64
	client, broker, own time.Duration
}

func (r *run) begin(c *contestant) meter {
	m := meter{faults: c.between.fired()}
	if pid := c.player.Process(); pid != 0 {
		m.client = clock(pid)
	}
	m.broker, m.own = clock(r.Processes...), clock(os.Getpid())
	m.at = r.Now()
	return m
}

// end writes down what the turn took, and says how long it was from here.
func (r *run) end(c *contestant, m meter, told Played, played *evidence.BenchRound) time.Duration {
	wall := r.Now().Sub(m.at)
	played.OwnCPUUS = (clock(os.Getpid()) - m.own).Microseconds()
	if broker := clock(r.Processes...); broker > 0 {
		played.BrokerCPUUS = (broker - m.broker).Microseconds()
	}
	peak := told.PeakMemory
	played.ClientCPUUS = told.CPU.Microseconds()
	if pid := c.player.Process(); pid != 0 {
		if now := clock(pid); now > 0 {
			played.ClientCPUUS = (now - m.client).Microseconds()
		}
		if bytes, err := cost.PeakMemory(pid); err == nil {
			peak = bytes
		}
	}
	c.told.PeakMemoryBytes = max(c.told.PeakMemoryBytes, peak)
	played.Faults = c.between.fired() - m.faults
	return wall
}

// clock is the processor time of processes; 0 where there are none, or nobody tells.
func clock(pids ...int) time.Duration {
	spent, _ := cost.CPU(pids...)
	return spent
}
