package bench

import (
	"errors"
	"slices"

	"kcompare/drivers"
)

// express drops settings that the library of c has no way to express, one by one, and
// notes them. Why says that it cannot play; the error is that of settings that are wrong
// for everyone.
func (r *run) express(c *contestant) (why string, err error) {
	for {
		differences, err := r.differences(c)
		var unknown *drivers.UnsupportedError
		switch {
		case err == nil:
			c.told.Differences = differences
			return "", nil
		case !errors.As(err, &unknown):
			return "", err
		case unknown.Key == r.Compare:
			return "it cannot express what is compared: " + unknown.Error(), nil
		case c.config[unknown.Key] == "":
			return unknown.Error(), nil
		}
		delete(c.config, unknown.Key)
		if c.told.Inexpressible == nil {
			c.told.Inexpressible = map[string]string{}
		}
		c.told.Inexpressible[unknown.Key] = unknown.Reason
	}
}

// differences are those of all roles of the work, each once.
func (r *run) differences(c *contestant) ([]string, error) {
	s := Stage{Work: r.Work, Servers: r.direct(), Config: c.config, Load: c.load, Group: r.Topics, ID: r.Topics}
	var all []string
	for _, role := range roles(r.Work) {
		some, err := c.player.Differences(role, s.settings(role))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
