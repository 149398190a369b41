package cli

import (
	"fmt"
	"os"
	"slices"

	"kcompare/internal/fault"
	"kcompare/internal/planfile"
	"kcompare/internal/proxy"
)

// readPlan reads --plan; there are no faults without it.
func (o *proxyOptions) readPlan() (fault.Plan, error) {
	if o.plan == "" {
		return nil, nil
	}
	content, err := os.ReadFile(o.plan)
	if err != nil {
		return nil, usagef("--plan: %w", err)
	}
	plan, err := planfile.Parse(o.plan, content, passes, knownAPI, func(r fault.Rule) error { return proxy.CheckPlan(fault.Plan{r}) })
	if err != nil {
		return nil, usageError{err}
	}
	return plan, nil
}

// passes refuses what cannot be done to a cluster and clients that are not
// kcompare's own.
func passes(r fault.Rule) error {
	if r.Action.ChangesCluster() {
		return fmt.Errorf("fault rule %q: %s changes the cluster, and needs one that kcompare started itself: kcompare proxy stands in front of somebody else's", r.Name, r.Action)
	}
	return countsRequests(r)
}

// knownAPI names the API that was probably meant.
func knownAPI(r fault.Rule) error {
	if r.Action == fault.RefuseConnection || slices.Contains(proxy.APIs(), r.Select.API) {
		return nil
	}
	return fmt.Errorf("fault rule %q: %w", r.Name, unknown("api", r.Select.API, proxy.APIs()))
}

// rolesOf lets each topic that a plan names stand for itself.
func rolesOf(plan fault.Plan) map[string]string {
	roles := map[string]string{}
	for _, r := range plan {
		if r.Select.Role != "" {
			roles[r.Select.Role] = r.Select.Role
		}
	}
	return roles
}

// idsOf does the same for transactional ids.
func idsOf(plan fault.Plan) map[string]string {
	ids := map[string]string{}
	for _, r := range plan {
		if id := r.Select.TransactionalID; id != "" {
			ids[id] = id
		}
	}
	return ids
}
