import { Metrics } from './metrics.js';

it('prints the recorded values by route, result, chain and queue', async () => {
  const metrics = new Metrics();
  metrics.http.answered({ method: 'POST', route: '/v1/payment-intents', status: 201, durationMs: 12 });
  metrics.deliveries.attempted('delivered');
  metrics.chains.lag('sandbox/polygon', { blocks: 3, seconds: 6 });
  metrics.intents.setDirty(2);
  metrics.deposits.setHoldings([{ heldAs: 'suspense', count: 2, oldestSeconds: 70 }]);
  metrics.deposits.setUnbooked(3);
  metrics.deposits.setReorged(new Map([['sandbox/polygon', 1]]));
  metrics.deposits.setUnexplained(new Map([['sandbox/solana', 2]]));
  metrics.addressPool.setFree('sandbox', 'evm', 1999);
  metrics.addressPool.setDisproved(1);
  metrics.prices.setSnapshotAge('live', 12.5);
  metrics.prices.setMissing('live', 'ETH', true);
  metrics.prices.setOffPeg('live', 'USDC', true);
  metrics.prices.sourceFailed('kraken', 'rate_limited');
  metrics.queue.wakesLost('worker', 4);
  metrics.treasury.setHotBalance('sandbox/polygon', 'USDC', 250);
  metrics.treasury.setShort('sandbox/polygon', 'USDC', true);
  metrics.treasury.setComparedAge('sandbox/polygon', 'USDC', 12);
  metrics.treasury.setWallets([{ chainRef: 'sandbox/polygon', frozenReason: 'a leak', gasPayments: 3 }]);
  metrics.treasury.setWaiting([{ standing: 'coins_missing', count: 2, oldestSeconds: 61 }]);
  metrics.treasury.setTransactions([{ chainRef: 'sandbox/polygon', count: 1, oldestSeconds: 9 }]);
  metrics.treasury.countSweepItems('sandbox/polygon', { swept: 6, failed: 1, untried: 0 });
  metrics.treasury.setSweeps([{ chainRef: 'sandbox/polygon', open: 4, setAside: 5, isFull: true }]);
  metrics.treasury.setVaultOpen(true);
  metrics.treasury.setSanctionsListAge(31);
  metrics.requestLog.lost('full', 3);
  const text = await metrics.registry.metrics();
  for (const line of [
    'coffer_http_request_duration_seconds_bucket{le="0.025",method="POST",route="/v1/payment-intents",status="201"} 1',
    'coffer_request_log_lost_total{reason="full"} 3',
    'coffer_webhook_attempts_total{result="delivered"} 1',
    'coffer_listener_lag_blocks{chain="sandbox/polygon"} 3',
    'coffer_listener_lag_seconds{chain="sandbox/polygon"} 6',
    'coffer_dirty_intents 2',
    'coffer_deposits_held{held_as="suspense"} 2',
    'coffer_deposits_held_oldest_seconds{held_as="suspense"} 70',
    'coffer_deposits_unbooked 3',
    'coffer_deposits_gone{chain="sandbox/polygon"} 1',
    'coffer_balances_unexplained{chain="sandbox/solana"} 2',
    'coffer_wallet_pool_free_addresses{environment="sandbox",family="evm"} 1999',
    'coffer_wallet_pool_disproved_addresses 1',
    'coffer_price_round_age_seconds{environment="live"} 12.5',
    'coffer_price_missing{environment="live",token="ETH"} 1',
    'coffer_stablecoin_off_peg{environment="live",token="USDC"} 1',
    'coffer_price_source_failures_total{source="kraken",reason="rate_limited"} 1',
    'coffer_queue_wake_errors_total{queue="worker"} 4',
    'coffer_hot_wallet_minor_units{chain="sandbox/polygon",token="USDC"} 250',
    'coffer_hot_wallet_short{chain="sandbox/polygon",token="USDC"} 1',
    'coffer_hot_wallet_compared_age_seconds{chain="sandbox/polygon",token="USDC"} 12',
    'coffer_hot_wallet_frozen{chain="sandbox/polygon"} 1',
    'coffer_hot_wallet_full{chain="sandbox/polygon"} 1',
    'coffer_hot_wallet_gas_payments{chain="sandbox/polygon"} 3',
    'coffer_withdrawals_waiting{reason="coins_missing"} 2',
    'coffer_withdrawals_oldest_seconds{reason="coins_missing"} 61',
    'coffer_transactions_open{chain="sandbox/polygon"} 1',
    'coffer_transactions_oldest_seconds{chain="sandbox/polygon"} 9',
    'coffer_sweep_items_total{chain="sandbox/polygon",outcome="swept"} 6',
    'coffer_sweep_items_total{chain="sandbox/polygon",outcome="failed"} 1',
    'coffer_sweeps_open{chain="sandbox/polygon"} 4',
    'coffer_sweep_balances_set_aside{chain="sandbox/polygon"} 5',
    'coffer_vault_open 1',
    'coffer_sanctions_list_age_days 31',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
  expect(text).toContain('process_resident_memory_bytes');
});

it('removes the lag of a chain that this process no longer leads', async () => {
  const metrics = new Metrics();
  metrics.chains.lag('sandbox/polygon', { blocks: 3, seconds: 6 });
  metrics.chains.forget('sandbox/polygon');
  expect(await metrics.registry.metrics()).not.toContain('sandbox/polygon');
});

it('removes series without values, and prints none that were never recorded', async () => {
  const metrics = new Metrics();
  const before = await metrics.registry.metrics();
  expect(before).not.toMatch(/^coffer_(vault_open|sanctions_list_age_days) /m);
  metrics.treasury.setWaiting([{ standing: 'coins_missing', count: 2, oldestSeconds: 61 }]);
  metrics.treasury.setWaiting([]);
  expect(await metrics.registry.metrics()).not.toContain('coins_missing');
});
