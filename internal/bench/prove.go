package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"kcompare/internal/batch"
	"kcompare/internal/broker"
	"kcompare/internal/evidence"
	"kcompare/internal/fault"
	"kcompare/internal/proxy"
)

// proveTime bounds the short run of a contestant.
const proveTime = 3 * time.Minute

// prove plays short turns through the proxy and says which settings the wire showed. It
// makes the player ready by itself, and leaves it with a client that is of no use
// any more. The error says what could not be seen at all.
func prove(ctx context.Context, o Options, c Contestant, p Player) (seen evidence.BenchSeen, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, proveTime, errors.New("the short run took too long"))
	defer cancel()
	pr, err := o.newProof(ctx, c, p)
	if err != nil {
		return evidence.BenchSeen{}, err
	}
	defer func() { err = errors.Join(err, pr.close(ctx)) }()
	switch o.Work {
	case evidence.BenchConsume:
		err = pr.reading(ctx)
	case evidence.BenchRPW:
		err = pr.processing(ctx)
	default:
		err = pr.writing(ctx)
	}
	slices.Sort(pr.seen.Versions)
	if err == nil {
		err = troubleOf(pr.proxy.Observed())
	}
	return pr.seen, err
}

// proof is the short run of one contestant.
type proof struct {
	Options
	player Player
	config map[string]string
	load   evidence.BenchLoad
	names  string // begins those of the run

	reader *broker.Reader
	proxy  *proxy.Proxy
	seen   evidence.BenchSeen
}

// newProof makes topics, and a proxy in front of the cluster that keeps answers back
// where they are about the topic of late.
func (o Options) newProof(ctx context.Context, c Contestant, p Player) (*proof, error) {
	pr := &proof{Options: o, player: p, config: map[string]string{}, load: o.loadOf(c)}
	maps.Copy(pr.config, o.Config)
	maps.Copy(pr.config, c.Config)
	pr.names = fmt.Sprintf("%s-prove-%d", o.Topics, slices.IndexFunc(o.Contestants, func(one Contestant) bool { return one.Name == c.Name }))
	var err error
	if pr.reader, err = broker.NewReader(o.Cluster.Addrs(), o.Cluster.Access()); err != nil {
		return nil, err
	}
	ids, err := pr.createTopics(ctx)
	if err == nil {
		pr.proxy, err = o.passedBy(func(options *proxy.Options) {
			options.Roles, options.TopicIDs = map[string]string{pr.late(): "late"}, map[[16]byte]string{}
			for name, id := range ids {
				options.TopicIDs[id] = name
			}
			options.Engine, options.Fields, options.Keep = fault.NewEngine(pr.delays(), 1), true, mostKept
		})
	}
	if err != nil {
		pr.reader.Close()
		return nil, err
	}
	return pr, nil
}

// createTopics spreads the leaders of late evenly, the same for everybody: how many requests
// a connection may have in flight is, in some libraries, up to the partitions behind it.
func (p *proof) createTopics(ctx context.Context) (map[string][16]byte, error) {
	topics := []broker.Topic{
		{Name: p.early(), Partitions: p.load.Partitions}, {Name: p.warm(), Partitions: p.load.Partitions},
	}
	ids, err := p.reader.CreateTopics(ctx, topics)
	if err != nil {
		return nil, err
	}
	nodes := slices.Sorted(maps.Keys(p.Cluster.Addrs()))
	late := broker.Topic{Name: p.late(), Partitions: p.latePartitions(), Leaders: make([]int32, p.latePartitions())}
	for i := range late.Leaders {
		late.Leaders[i] = nodes[i%len(nodes)]
	}
	own, err := p.createPlaced(ctx, late)
	maps.Copy(ids, own)
	return ids, err
}

// placer is a cluster that takes a choice of leaders afterwards, and before it takes none
// seriously, as kfake does.
type placer interface {
	PlaceLeader(topic string, partition, node int32) error
}

// createPlaced leaves leaders to a cluster that refuses a choice.
func (p *proof) createPlaced(ctx context.Context, t broker.Topic) (map[string][16]byte, error) {
	leaders := t.Leaders
	cluster, places := p.Cluster.(placer)
	if places {
		t.Leaders = nil
	}
	ids, err := p.reader.CreateTopics(ctx, []broker.Topic{t})
	if errors.Is(err, broker.ErrAssignment) {
		t.Leaders = nil
		ids, err = p.reader.CreateTopics(ctx, []broker.Topic{t})
	}
	for partition, node := range leaders {
		if err == nil && places {
			err = cluster.PlaceLeader(t.Name, int32(partition), node)
		}
	}
	return ids, err
}

// mostKept is more exchanges than a short run has.
const mostKept = 100_000

// early and late are its topics: for what is written at leisure, or read, and for what is
// written as fast as can be while answers come late. The third is that of Stage.Warm.
func (p *proof) early() string { return p.names + "-early" }
func (p *proof) late() string  { return p.names + "-late" }
func (p *proof) warm() string  { return p.names + "-warm" }

// latePartitions are few: each has to be filled for as long as answers are late.
func (p *proof) latePartitions() int32 { return min(p.load.Partitions, mostLate) }

const mostLate = 8

// Only so many answers are late, or a client that has one request in flight, or sends
// every record by itself, would take minutes.
const (
	lateWrites = 30
	lateReads  = 10
)

// delays are what makes requests pile up to the limit of requests in flight, and records
// behind them to full batches. Nothing of it is planned where no answer will come, and
// fetches of a consumer are late where the work is reading alone.
func (p *proof) delays() fault.Plan {
	var plan fault.Plan
	if p.Work == evidence.BenchConsume {
		return append(plan, fault.Rule{
			Name: "late fetch", Action: fault.Delay, Wait: lateness, Select: fault.Selector{API: "Fetch", First: lateReads, Probability: 1},
		})
	}
	if p.config["acks"] == "0" {
		return nil
	}
	return append(plan, fault.Rule{
		Name: "late", Action: fault.Delay, Wait: lateness,
		Select: fault.Selector{API: "Produce", Role: "late", First: lateWrites, Probability: 1},
	})
}

// close stops what was started and removes the topics, also when ctx has ended.
func (p *proof) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := p.proxy.Close()
	err = errors.Join(err, p.reader.DeleteTopics(ctx, []string{p.early(), p.late(), p.warm()}))
	if p.Work == evidence.BenchRPW {
		err = errors.Join(err, p.reader.DeleteGroups(ctx, []string{p.group()}))
	}
	p.reader.Close()
	return err
}

func (p *proof) group() string { return p.names + "-group" }

// ready makes the client.
func (p *proof) ready(ctx context.Context, w evidence.BenchWork) error {
	return p.player.Ready(ctx, Stage{
		Work: w, Servers: p.proxy.Bootstrap(), Config: plainly(p.config), Load: p.load,
		Warm: p.warm(), Group: p.group(), ID: p.names + "-id",
	})
}

// play plays a turn of so many records, in one transaction where the work has any.
func (p *proof) play(ctx context.Context, t Turn, records int64) (Played, error) {
	t.Load.Records, t.Load.Transaction = records, records
	t.Load.RecordBytes = p.load.RecordBytes
	p.seen.Records += records
	return p.player.Play(ctx, t)
}

// recordBytes is how large the values are that were written to late.
func (p *proof) recordBytes(ctx context.Context) (float64, error) {
	var sizes sizes
	for partition := range p.latePartitions() {
		if _, err := p.reader.VisitPartition(ctx, broker.TopicPartition{Topic: p.late(), Partition: partition}, 0, &sizes); err != nil {
			return 0, err
		}
	}
	return float64(sizes.bytes) / float64(max(sizes.records, 1)), nil
}

// sizes is a batch.Visitor that adds values up.
type sizes struct{ records, bytes int64 }

func (s *sizes) Batch(batch.Header, string) error { return nil }

func (s *sizes) Record(_ int64, _, value []byte) error {
	s.records++
	s.bytes += int64(len(value))
	return nil
}

// number is a setting as a number, or another one where there is none.
func (p *proof) number(key string, otherwise float64) float64 {
	n, err := strconv.ParseFloat(p.config[key], 64)
	if err != nil {
		return otherwise
	}
	return n
}
