"""The router's settings: each with its unit and the reason for its default."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RouterSettings:
    """Limits and rhythms of one router. Every time is in seconds."""

    # One connection attempt on a cluster network takes milliseconds; a second means nobody is there.
    connect_s: float = 1.0
    # A cold 100,000-token prefill on one GPU takes tens of seconds; longer, and the direct path is the better bet.
    prefill_timeout_s: float = 60.0
    # The prefill engine keeps the KV for 30 s and hands out its blocks again after that: a decode engine that comes late
    # gives wrong text with status 200. A third of the lease leaves room for the decode engine's own queue.
    handover_limit_s: float = 10.0
    # From asking an engine to the first byte of its stream; queueing at saturation is part of it.
    first_token_s: float = 120.0
    # A stopping engine says nothing and closes nothing: only silence tells. Longer than any scheduling stall seen.
    token_gap_s: float = 30.0
    # An answer that is not streamed comes whole: this bounds queueing and all of its tokens together.
    answer_s: float = 600.0
    # How long an engine may be down or gone before requests that still wait on it for a first byte are tried elsewhere.
    lost_after_s: float = 5.0
    # An engine with prompts before it that has said nothing for this long, and for longer than the prompts explain, is stalled.
    stall_s: float = 10.0
    # What every engine computes at least, a small model on a few CPU cores among them.
    stall_tokens_per_s: float = 50.0
    # Requests in a row that an engine failed, with /health green: one or two happen to engines that are well.
    eject_after: int = 3
    # How long it then gets none, doubled each time its trial fails: a restart takes tens of seconds, a hiccup a few.
    eject_s: float = 10.0
    # A trial costs one request its first attempt: once a minute is little enough, and soon enough to come back.
    eject_max_s: float = 60.0
    # Retries on another engine, as a share of all requests: enough for one engine that dies, too little to bring down the rest.
    # Of requests that an engine had: what found no connection is tried on another one in any case.
    retry_share: float = 0.1
    # Retries saved up in quiet times: what is in flight on one engine that dies under moderate load.
    retries_saved: float = 10.0
    # SIGTERM: how long running streams may take to finish (Kubernetes' default grace period is 30 s).
    drain_s: float = 30.0
    # Between /ready failing and the listening socket closing, so that load balancers see it first.
    accept_delay_s: float = 0.5

    # A dead engine should cost no more than a second of misrouted requests.
    probe_interval_s: float = 1.0
    # A busy engine answers /health late; above this it would not serve a request well either.
    probe_deadline_s: float = 2.0
    # Three probes that took as long as they may: beyond that nobody has looked, and what was seen last is no news.
    probe_stale_s: float = 10.0
    # How often the target file is looked at; the supervisor replaces it whole.
    targets_interval_s: float = 0.5
    # The merged model list changes when an engine joins or leaves, not per request.
    models_interval_s: float = 5.0

    # Long-poll: shorter than the idle limits of common proxies (60 s).
    poll_wait_s: float = 20.0
    # Control shows a router's age; a second keeps that figure meaningful.
    report_interval_s: float = 1.0
    # After control could not be reached: soon enough to be unnoticed, rare enough to cost nothing.
    control_retry_s: float = 1.0
    control_deadline_s: float = 5.0

    # What cache servers report reaches control a second late anyway; between reports the wait keeps the tiers' ages true.
    cache_wait_s: float = 2.0
    # With many cache servers there is always something new: five answers a second are enough.
    cache_pause_s: float = 0.2

    # Decision records kept while control does not take them: a few minutes at a hundred requests a second.
    records_kept: int = 10_000
    # Records in one report: about a megabyte of JSON with scores.
    records_per_report: int = 500

    # More characters than this that were not seen before are tokenized in a thread (a millisecond or so on the loop).
    inline_tokenize_characters: int = 4096
    # Two lanes, for prompts with little and with much that is new, of so many threads each: they work without Python's lock.
    tokenize_threads: int = 1
    # Prompts that wait in a lane: more than a second's worth of long ones.
    tokenize_queue: int = 64
    # Then the prompt goes by the estimate: the largest takes a third of this, and its prefill much longer.
    tokenize_wait_s: float = 1.0
    # Token ids kept for each model: some 25 million, several engines' caches full.
    token_cache_bytes: int = 128 << 20
    # English text has about four bytes a token; used only where no tokenizer is loaded.
    bytes_per_token: int = 4

    # Blocks of KV events remembered, of one data-parallel rank and of all: 16 tokens and some 200 bytes each. An engine with
    # terabytes of offloaded KV stays below the first; the second keeps a router below 2 GB. What is beyond is refused.
    index_blocks_per_rank: int = 2_000_000
    index_blocks: int = 8_000_000

    # Most requests need no task of their own (stack/router/shortcut.py); without it each has one, and nothing else differs.
    shortcut: bool = True

    # How long an observed request is taken to need for its answer, after its first token: a few hundred tokens on a GPU.
    observed_answer_s: float = 5.0
