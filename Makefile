# Everything that is done to this repository, by name. Needs Go and a C compiler; the
# tests with a real Apache Kafka need Java and Maven as well, those with Python clients
# Python 3.10.

GO ?= go
LINT = $(GO) tool -modfile=tools/go.mod golangci-lint

.PHONY: help build setup test workbook workbook-check test-race lint lint-clients fmt fmt-clients bench bench-large soak fuzz clean run-with-idempotence run-without-idempotence \
	up down topic-delete topic-count topic-describe

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 28

build: ## bin/kcompare
	$(GO) build -o bin/kcompare ./cmd/kcompare

MESSAGES ?= 200
DROP_RATE ?= 0.35
LESSON = $(GO) run ./cmd/kcompare run idempotent --messages=$(MESSAGES) --drop-rate=$(DROP_RATE)

run-with-idempotence: ## the lesson's run; MESSAGES=200 DROP_RATE=0.35
	$(LESSON) --variant=enable.idempotence=true,sends=sequential

run-without-idempotence: ## the same, with duplicates
	$(LESSON) --variant=enable.idempotence=false,sends=sequential

up: ## Apache Kafka on localhost:9092, three nodes; PROFILE=single: one (Docker)
	docker compose $(if $(PROFILE),--profile $(PROFILE)) up -d --wait

down: ## it ends, with its data
	docker compose --profile '*' down -v

BROKER ?= localhost:9092
TOPIC ?=
TOPICS = $(GO) run ./cmd/kcompare topics

topic-delete: ## delete TOPIC=NAME at BROKER=localhost:9092; names of kcompare's alone
	$(TOPICS) delete --broker=$(BROKER) $(TOPIC)

topic-count: ## how many records TOPIC=NAME has
	$(TOPICS) count --broker=$(BROKER) $(TOPIC)

topic-describe: ## what TOPIC=NAME is
	$(TOPICS) describe --broker=$(BROKER) $(TOPIC)

# What tests play with, in .clients; a version that is there already costs nothing.
CLIENTS = python java kafkajs kafka-python aiokafka
INSTALL = KCOMPARE_CACHE=$(CURDIR)/.clients $(GO) run ./cmd/kcompare clients install

setup: ## the clients of other languages and Mermaid's parser and axe-core in .clients, in .venv the Python ones of examples, and the jars of Kafka; PYTHON=python3
	@clients/python/setup.sh
	@$(INSTALL) $(CLIENTS)
	@internal/mermaidtest/setup.sh
	@internal/report/htmltest/setup.sh
	@GO='$(GO)' internal/broker/setup.sh

# They begin first: what takes longest would run alone at the end.
LONGEST = ./cmd/kcompare ./internal/broker ./internal/trial ./internal/faultdiff ./internal/verify

test: ## every test, and the build without a C compiler; makes .venv and .clients by itself
	@$(MAKE) --no-print-directory setup || [ "$$CI" != true ]
	CGO_ENABLED=0 $(GO) build ./...
	$(GO) test -p=3 -parallel=16 $(LONGEST) ./...
	@for tool in java mvn; do command -v $$tool >/dev/null || \
		echo "not run: tests with a real Apache Kafka, because $$tool is not installed"; done
	@cmp -s clients/python/requirements.txt .venv/requirements.txt || \
		echo "not run: tests with the Python clients, because .venv could not be made (make setup)"
	@for client in $(CLIENTS); do ls .clients/clients/$$client@*/ready.json >/dev/null 2>&1 || \
		echo "not run: tests with the client $$client, because it could not be installed (make setup)"; done
	@for tool in chromium chromedriver; do command -v $$tool >/dev/null || \
		echo "not run: tests of HTML reports in a browser, because $$tool is not installed"; done
	@for tool in mermaid axe; do [ -e .clients/$$tool/package-lock.json ] || \
		echo "not run: tests that need $$tool, because it could not be installed (make setup)"; done

workbook: ## the pages of docs from their evidence; what is missing or stale is played, with clients in your cache directory
	@$(GO) run ./cmd/kcompare clients install $(CLIENTS)
	$(GO) run ./cmd/kcompare docs render docs

workbook-check: ## whether the pages of docs are what their evidence and sources say; writes nothing
	$(GO) run ./cmd/kcompare docs check docs

LIES = FoundOut$$|Lies$$|^TestLies

test-race: ## the tests of the rooms with goroutines, under the race detector; lies of clients are left to `make test`
	$(GO) test -race -short -parallel=16 -skip='$(LIES)' ./drivers/... ./franz ./internal/broker ./internal/proxy/... ./internal/scenario ./internal/trial ./internal/cli

lint: ## the linters of .golangci.yml
	$(LINT) run ./...

lint-clients: ## ruff, eslint, prettier and google-java-format and javac on the client programs; brings them to .clients/lint once
	@clients/lint/lint.sh

fmt-clients: ## what lint-clients asks for
	@clients/lint/lint.sh fmt

fmt: ## gofmt and import order
	$(LINT) fmt ./...

DATE ?= $(shell date -u +%Y-%m-%d)
PERFORMANCE = $(GO) run ./cmd/performance

bench: ## how fast kcompare itself is, beside direct and beside toxiproxy: docs/performance.md; fails where a requirement is not met
	@$(MAKE) --no-print-directory setup || echo "what could not be installed is not measured"
	$(PERFORMANCE) bench --go='$(GO)' --date=$(DATE)

N ?= 20000000
bench-large: build ## 20 million records of each installed client to an Apache Kafka, all audited; N=200000 for a try, VOLUME=franz,java
	$(PERFORMANCE) large --records=$(N) $(if $(VOLUME),--clients=$(VOLUME)) --kcompare=bin/kcompare --date=$(DATE)

SOAK ?= 30m
EVERY ?= 5s
soak: ## half an hour at full speed through the proxy, SOAK=2m for a try; fails where memory, goroutines or open files grow
	$(PERFORMANCE) soak --for=$(SOAK) --every=$(EVERY) --date=$(DATE)

FUZZTIME ?= 20s
fuzz: ## every fuzz target for FUZZTIME each
	@set -e; for dir in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		for target in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go | cut -c6-); do \
			$(GO) test -run='^$$' -fuzz="^$$target$$" -fuzztime=$(FUZZTIME) $$dir; \
		done; \
	done

clean: ## what builds leave behind
	rm -rf bin
