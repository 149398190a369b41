package cli

import "github.com/spf13/pflag"

// there is a cluster that runs already, and how to get in.
type there struct {
	broker        string
	bootstrap     string
	commandConfig string
	servers       []string // what the first two say, read
}

// defaultServer is where kcompare broker listens.
const defaultServer = "127.0.0.1:9092"

func (o *there) flags(f *pflag.FlagSet) {
	f.StringVar(&o.bootstrap, "bootstrap-servers", "", "`HOST:PORT,...` of the cluster (default "+defaultServer+")")
	f.StringVar(&o.broker, "broker", "", "`HOST:PORT,...`, the same as --bootstrap-servers")
	f.StringVar(&o.commandConfig, "command-config", "", "properties `file` with security settings for the cluster, librdkafka's or Java's key names")
}

func (o *there) check() (err error) {
	switch {
	case o.broker != "" && o.bootstrap != "":
		return usagef("--broker=%s and --bootstrap-servers=%s: give one of them", o.broker, o.bootstrap)
	case o.bootstrap != "":
		o.servers, err = servers("bootstrap-servers", o.bootstrap)
	case o.broker != "":
		o.servers, err = servers("broker", o.broker)
	default:
		o.servers = []string{defaultServer}
	}
	return err
}

// seeds are the servers by ids that stand for no node. The first one has the lowest.
func (o *there) seeds() map[int32]string {
	addrs := map[int32]string{}
	for i, addr := range o.servers {
		addrs[int32(i-len(o.servers))] = addr
	}
	return addrs
}
