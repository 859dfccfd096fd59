import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PaymentConditions } from '../src/chains/expiring.js';
import type { LentCost, OwnCost } from '../src/chains/expiring-sweeps.js';
import type { UnsignedTransaction } from '../src/chains/expiring-transaction.js';
import { place } from './compiled.ts';

const { developmentProfile }: typeof import('../src/chains/networks.js') = await import(place('chains/networks.js'));
const { energyLenderOf, expiringPayerOf, expiringSweeperOf }: typeof import('../src/chains/registry.js') = await import(
  place('chains/registry.js')
);
const { TronClient }: typeof import('../src/chains/tron/tron-client.js') = await import(
  place('chains/tron/tron-client.js')
);
const { TronNode }: typeof import('../src/devtools/devnet/tron/chain/tron-node.js') = await import(
  place('devtools/devnet/tron/chain/tron-node.js')
);
const { tronServer }: typeof import('../src/devtools/devnet/tron/http/tron-server.js') = await import(
  place('devtools/devnet/tron/http/tron-server.js')
);
const { TronControls }: typeof import('../src/devtools/devnet/tron/control/control-client.js') = await import(
  place('devtools/devnet/tron/control/control-client.js')
);
const { signedTransaction }: typeof import('../src/devtools/devnet/tron/signed-transaction.js') = await import(
  place('devtools/devnet/tron/signed-transaction.js')
);
const { parseAddress }: typeof import('../src/devtools/devnet/tron/address.js') = await import(
  place('devtools/devnet/tron/address.js')
);
const { addressOfKey }: typeof import('../src/vault/tron/tron-derivation.js') = await import(
  place('vault/tron/tron-derivation.js')
);
const { signTronTransaction }: typeof import('../src/vault/tron/tron-signing.js') = await import(
  place('vault/tron/tron-signing.js')
);

const INTERVAL_MS = 3_000;
/** Blocks on top of one that make it final. */
const DISTANCE = 1;
const ENERGY = 1n;
const LIFETIME_MS = 60_000;
const DECIMALS = 6;
const NATIVE = 'native';
/** Ten-thousandths that a busy contract costs on top at most: `getDynamicEnergyMaxFactor`. */
const PENALTY = 34_000;
/** The tokens of one deposit. */
const UNITS = 25_000_000n;

/** How sweeps of addresses that were never used are paid for. */
export type SweepWay = 'burned' | 'lent';

/** What one sweep cost, in sun. */
export interface SweepCost {
  /** What the hot wallet spent for good: fees and burned coins, without what is left at addresses. */
  readonly spent: bigint;
  /** What lies at the deposit address afterwards. */
  readonly left: bigint;
}

/** Tron's development chain with a hot wallet that has staked coins, and the parts of the service that sweep to it. */
export interface TronSweepStage {
  sweep(way: SweepWay, key: Uint8Array): Promise<SweepCost>;
  close(): Promise<void>;
}

/** @param stake the sun that the hot wallet has staked */
export async function setTronSweepStage(hotKey: Uint8Array, stake: bigint): Promise<TronSweepStage> {
  const dir = await mkdtemp(join(tmpdir(), 'coffer-bench-tron-'));
  const journalPath = join(dir, 'tron.journal');
  const node = await TronNode.open({ journalPath, intervalMs: INTERVAL_MS, solidityDistance: DISTANCE });
  await node.change({ isPaused: true });
  const server = tronServer(node);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The chain has no port.');
  const url = `http://127.0.0.1:${address.port}`;
  const controls = new TronControls(url);
  const { genesisId: chainId, tokens } = await controls.mine(DISTANCE + 1);
  const client = new TronClient({
    profile: developmentProfile({ network: 'tron', chainId, contracts: tokens }),
    rpcUrl: url,
  });
  const [payer, sweeper, lender] = [expiringPayerOf('tron'), expiringSweeperOf('tron'), energyLenderOf('tron')];
  const hotWallet = addressOfKey(hotKey);
  let sequence = 0;
  const settle = () => controls.mine(DISTANCE + 1);
  const landed = async (key: Uint8Array, planned: (at: PaymentConditions) => { unsigned: UnsignedTransaction }) => {
    const { unsigned } = planned(await client.conditions(hotWallet));
    if (unsigned.family !== 'tron') throw new Error('A transaction of tron was expected.');
    const { raw } = signTronTransaction([key], unsigned);
    for (const answer of await client.broadcastAll([raw])) if (!answer.accepted) throw new Error(answer.message);
    await settle();
  };
  const fund = (recipient: string, amount: bigint) =>
    landed(hotKey, (at) => {
      const payment = { sender: hotWallet, recipient, token: NATIVE, decimals: DECIMALS, amount };
      return payer.plan(payment, 'standard', ++sequence, at);
    });
  const move = (kind: 'lend' | 'take_back', borrower: string, lent: LentCost) =>
    landed(hotKey, (at) => {
      if (lender === null) throw new Error('Tron lends energy.');
      return lender.plan({ kind, owner: hotWallet, borrower, stake: lent.stake }, ++sequence, at);
    });
  const fundsOf = async (owner: string) => (await client.finalBalancesOf(owner, [NATIVE, tokens.USDT], 0)).owned;

  await controls.setEnergyFactor(parseAddress(tokens.USDT) ?? '', PENALTY);
  await controls.fund(hotWallet, null, 2n * stake);
  // A hot wallet holds some of the token already.
  await controls.fund(hotWallet, 'USDT', UNITS);
  await settle();
  await node.accept(
    signedTransaction({
      account: { privateKey: Buffer.from(hotKey).toString('hex') },
      owner: parseAddress(hotWallet) ?? '',
      type: 'FreezeBalanceV2Contract',
      fields: { frozen_balance: stake, resource: ENERGY },
      reference: node.chain.blocks.idOf(node.chain.head),
      timestamp: node.now(),
      expiration: node.chain.blocks.timeOf(node.chain.head) + LIFETIME_MS,
    }),
  );
  await settle();

  const costOf = async (owner: string): Promise<OwnCost> => {
    const source = {
      owner,
      funds: [{ token: tokens.USDT, account: null, decimals: DECIMALS, amount: UNITS, closesAccount: false }],
    };
    const [cost] = await client.ownCosts([source], hotWallet, await client.conditions(hotWallet));
    if (cost === null || cost === undefined) throw new Error('The sweep would fail.');
    return cost;
  };
  const take = (key: Uint8Array, owner: string, costMax: bigint) =>
    landed(key, (at) => {
      const funds = [{ token: tokens.USDT, account: null, decimals: DECIMALS, amount: UNITS, closesAccount: false }];
      const target = { hotWallet, missingAccounts: [] };
      return sweeper.plan(target, [{ owner, funds }], { strategy: 'standard', sequence: ++sequence, costMax }, at);
    });

  return {
    sweep: async (way, key) => {
      const owner = addressOfKey(key);
      await controls.fund(owner, 'USDT', UNITS);
      await settle();
      const [before = 0n] = await fundsOf(hotWallet);
      const { most, lent } = await costOf(owner);
      if (way === 'burned') {
        await fund(owner, most);
        await take(key, owner, most);
      } else {
        if (lent === null) throw new Error('The hot wallet has nothing to lend.');
        await fund(owner, lent.coins);
        await move('lend', owner, lent);
        await take(key, owner, lent.most);
        await move('take_back', owner, lent);
      }
      const [after = 0n] = await fundsOf(hotWallet);
      const [left = 0n, tokensLeft] = await fundsOf(owner);
      if (tokensLeft !== 0n) throw new Error('The sweep brought nothing.');
      return { spent: before - after - left, left };
    },
    close: async () => {
      await client.close();
      server.close();
      server.closeAllConnections();
      await node.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
