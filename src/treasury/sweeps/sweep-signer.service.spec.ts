import { Transaction } from 'ethers';
import type { SeededChain } from '../../../test/support/factories.js';
import { confirmAsListed, listExactly } from '../../../test/support/listed-senders.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { anUnattributedDeposit } from '../../../test/support/unattributed-deposits.js';
import { aPlannedSweep } from '../../../test/support/sweep-scene.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { DEPLOYMENT_PROXY, sweepContracts } from '../../chains/evm/sweep-contracts.js';
import type { SignedEvmAuthorization } from '../../chains/evm/evm-transaction.js';
import type { Vault } from '../../vault/vault.js';
import { ContractOutcomeHandler } from './contract-outcome-handler.service.js';
import { readSweepCall } from '../../chains/evm/read-sweep-call.js';
import { findCandidates } from './sweep-candidates.sql.js';
import type { SweepSpecSigner } from '../../../test/support/spec-signer.js';

const THIEF = `0x${'66'.repeat(20)}`;
const COIN = 10n ** 18n;
const GWEI = 10n ** 9n;

let scene: PayoutScene;
let chain: SeededChain;
let signer: SweepSpecSigner;
let queue: RecordingQueue;

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  chain = await scene.addChain('polygon');
  queue = new RecordingQueue();
  ({ sweeps: signer } = vaultServices(scene.database, queue.queue));
});

/** The bytes that were signed for it, as a library reads them. */
async function signedFor(id: string): Promise<Transaction | null> {
  const [row] = await scene.query<{ raw: string }>(
    `select raw_transaction as raw from transaction_attempt join chain_transaction on id = transaction_id
      where purpose_id = $1`,
    [id],
  );
  return row === undefined ? null : Transaction.from(row.raw);
}

async function wallet() {
  const [row] = await scene.query<{ address_key: string; next_nonce: string; frozen_reason: string | null }>(
    `select address_key, next_nonce, frozen_reason from hot_wallet where chain_ref = $1`,
    [chain.chainRef],
  );
  if (row === undefined) throw new Error('There is a wallet.');
  return row;
}

/** The scene's vault, whose deposit addresses sign something else. */
const vaultWhose = (bend: (signed: SignedEvmAuthorization) => SignedEvmAuthorization): Vault => ({
  deriveAddresses: (...asked) => scene.vault.deriveAddresses(...asked),
  hotWallet: (...asked) => scene.vault.hotWallet(...asked),
  signEvm: (...asked) => scene.vault.signEvm(...asked),
  authorizeEvm: async (...asked) => (await scene.vault.authorizeEvm(...asked)).map(bend),
  signExpiring: (...asked) => scene.vault.signExpiring(...asked),
  close: () => scene.vault.close(),
});

describe('a planned sweep', () => {
  it('is signed once, with the authorization of each address that has to delegate, and audited whole', async () => {
    const { id, addresses } = await aPlannedSweep(scene, chain, { nonces: [7, null], coinsToo: true });
    await signer.signWaiting(scene.vault);
    await signer.signWaiting(scene.vault);
    const signed = await signedFor(id);
    const { address_key: treasury, next_nonce: nextNonce } = await wallet();
    const { delegate, batch } = sweepContracts(treasury);
    expect(nextNonce).toBe('1');
    expect(signed).toMatchObject({ type: 4, nonce: 0, chainId: 31_337n, value: 0n, gasLimit: 316_000n });
    expect([signed?.from?.toLowerCase(), signed?.to?.toLowerCase()]).toEqual([treasury, batch.address]);
    expect(readSweepCall(signed?.data ?? '')).toEqual(
      addresses.flatMap(({ addressKey: deposit }) =>
        [chain.contract, 'native'].map((tokenContract) => ({ deposit, tokenContract })),
      ),
    );
    expect(signed?.authorizationList).toMatchObject([{ chainId: 31_337n, nonce: 7n }]);
    expect(signed?.authorizationList?.[0]?.address.toLowerCase()).toBe(delegate.address);
    const [audit] = await scene.query<{ fields: Record<string, unknown> }>(
      `select fields from vault_audit where purpose = 'sweep' and purpose_id = $1 and verdict = 'signed'`,
      [id],
    );
    expect(audit?.fields).toMatchObject({
      data: signed?.data,
      authorizations: [{ delegate: delegate.address, nonce: 7 }],
    });
    expect(await queue.woken('treasury.broadcast')).toHaveLength(1);
  });

  it('of addresses that all delegate is an ordinary transaction', async () => {
    const { id } = await aPlannedSweep(scene, chain, { nonces: [null, null] });
    expect(await signer.sign(scene.vault, 'sweep', id)).toBeNull();
    expect(await signedFor(id)).toMatchObject({ type: 2, authorizationList: null });
  });

  it.each<[string, (signed: SignedEvmAuthorization) => SignedEvmAuthorization]>([
    ['delegates elsewhere', (signed) => ({ ...signed, delegate: THIEF })],
    ['has another nonce', (signed) => ({ ...signed, nonce: signed.nonce + 1 })],
    ['is signed by an unknown key', (signed) => ({ ...signed, yParity: signed.yParity === 0 ? 1 : 0 })],
  ])('whose authorization %s is not kept: that is audited, and freezes the wallet [I-125]', async (_what, bend) => {
    const { id } = await aPlannedSweep(scene, chain);
    expect(await signer.sign(vaultWhose(bend), 'sweep', id)).toBe('wallet_frozen');
    expect(await signedFor(id)).toBeNull();
    expect(await wallet()).toMatchObject({ next_nonce: '0', frozen_reason: expect.stringContaining('authorizations') });
    const verdicts = await scene.query(`select verdict from vault_audit where purpose_id = $1`, [id]);
    expect(verdicts).toEqual([{ verdict: 'refused' }]);
  });

  it('that was forged to redirect funds is not signed', async () => {
    const { id } = await aPlannedSweep(scene, chain, { delegate: THIEF });
    await expect(signer.sign(scene.vault, 'sweep', id)).rejects.toThrow('not the hot wallet');
    expect(await signedFor(id)).toBeNull();
    expect(await wallet()).toMatchObject({ next_nonce: '0', frozen_reason: null });
  });

  it('is signed only where the wallet could pay for its gas four times: a stuck one has to be replaced', async () => {
    const { id } = await aPlannedSweep(scene, chain);
    const [round] = await scene.query<{ base_fee: string; tip_standard: string }>(
      `select base_fee, tip_standard from fee_round where chain_ref = $1 order by taken_at desc limit 1`,
      [chain.chainRef],
    );
    const maxFee = 2n * BigInt(round?.base_fee ?? 0) + BigInt(round?.tip_standard ?? 0);
    const enough = 4n * 206_000n * maxFee;
    await scene.hold(0n, enough - 1n, chain);
    expect(await signer.sign(scene.vault, 'sweep', id)).toBe('gas_missing');
    await scene.hold(0n, enough, chain);
    expect(await signer.sign(scene.vault, 'sweep', id)).toBeNull();
  });

  it('offers no more than nodes take: neither when fees rose since it was planned, nor when it is replaced', async () => {
    const { id } = await aPlannedSweep(scene, chain);
    let rounds = 0;
    const ask = (maxFee: bigint): Promise<unknown> =>
      scene.query(
        `insert into fee_round (chain_ref, base_fee, tip_standard, tip_fast, taken_at)
         values ($1, $2, 30000000000, 30000000000, now() + interval '2 hours' + $3::int * interval '1 second')`,
        [chain.chainRef, (maxFee - 30n * GWEI) / 2n, (rounds += 1)],
      );
    const most = COIN / 206_000n;
    await ask(most + 2n);
    expect(await signer.sign(scene.vault, 'sweep', id)).toBe('fees_above_cap');
    await ask(most / 2n);
    expect(await signer.sign(scene.vault, 'sweep', id)).toBeNull();
    const { replacements } = vaultServices(scene.database, new RecordingQueue().queue);
    const attempts = async (): Promise<number> => {
      await scene.query(`update chain_transaction set replace_wanted_at = now() where purpose_id = $1`, [id]);
      await replacements.signWanted(scene.vault);
      const offers = await scene.query<{ wei: string }>(
        `select gas_limit * max_fee_per_gas as wei from transaction_attempt
           join chain_transaction on id = transaction_id where purpose_id = $1`,
        [id],
      );
      for (const { wei } of offers) expect(BigInt(wei)).toBeLessThanOrEqual(COIN);
      return offers.length;
    };
    // 15 % more each time: half of what nodes take four times at most.
    const counted: number[] = [];
    for (let times = 0; times < 6; times++) counted.push(await attempts());
    expect(counted).toEqual([2, 3, 4, 5, 5, 5]);
    const [verdict] = await scene.query(`select reason from vault_audit order by id desc limit 1`);
    expect(verdict).toEqual({ reason: 'fees_above_cap' });
  });

  it('has nothing signed for it while it waits, and its addresses sign before the wallet is locked', async () => {
    const { id } = await aPlannedSweep(scene, chain);
    await scene.hold(0n, 1n, chain);
    const isLocked: boolean[] = [];
    const vault: Vault = {
      ...vaultWhose((signed) => signed),
      authorizeEvm: async (...asked) => {
        const free = await scene.query(`select from hot_wallet where chain_ref = $1 for update skip locked`, [
          chain.chainRef,
        ]);
        isLocked.push(free.length === 0);
        return scene.vault.authorizeEvm(...asked);
      },
    };
    expect(await signer.sign(vault, 'sweep', id)).toBe('gas_missing');
    expect(isLocked).toEqual([]);
    await scene.hold(0n, 10n ** 21n, chain);
    expect(await signer.sign(vault, 'sweep', id)).toBeNull();
    expect(isLocked).toEqual([false]);
  });

  it('waits for gas, and says so', async () => {
    const { id } = await aPlannedSweep(scene, chain);
    await scene.hold(0n, 1n, chain);
    expect(await signer.sign(scene.vault, 'sweep', id)).toBe('gas_missing');
    const reason = () => scene.query(`select waiting_reason, signed_at from sweep where id = $1`, [id]);
    expect(await reason()).toEqual([{ waiting_reason: 'gas_missing', signed_at: null }]);
    await scene.hold(0n, 10n ** 21n, chain);
    await signer.signWaiting(scene.vault);
    expect(await reason()).toMatchObject([{ waiting_reason: null, signed_at: expect.any(String) }]);
  });
});

describe('a planned sweep of an address with funds of a listed sender', () => {
  const LISTED = `0x${'ad'.repeat(20)}`;
  const aPayment = (address: string, sender = LISTED) =>
    anUnattributedDeposit(scene.database, { chain, address, reason: 'address_not_assigned', status: 'seen', sender });

  /** It ended without a trace on the chain, its refusal is audited, and the next plan leaves that address out. */
  async function expectPlannedAnew(id: string, frozen: string, clean: string): Promise<void> {
    expect(await signedFor(id)).toBeNull();
    expect(await wallet()).toMatchObject({ next_nonce: '0', frozen_reason: null });
    const audited = await scene.query(`select verdict, reason from vault_audit where purpose_id = $1`, [id]);
    expect(audited).toEqual([{ verdict: 'refused', reason: `coins of a listed sender lie at ${frozen}` }]);
    const sweeps = await scene.query(`select id from sweep where id = $1 and finished_at is not null`, [id]);
    expect(sweeps).toHaveLength(1);
    const rows = await scene.database.rows(findCandidates(['evm'], 10));
    const found = rows.filter((row) => row.chainRef === chain.chainRef).map((row) => row.addressKey);
    expect(found).toEqual([clean.toLowerCase()]);
  }

  beforeEach(() => listExactly(scene.database, LISTED));

  it('is not signed once they are final: that is audited, and the rest is planned again [G-98]', async () => {
    const { id, addresses } = await aPlannedSweep(scene, chain);
    const [clean, frozen] = addresses.map(({ address }) => address) as [string, string];
    const [listing = ''] = await listExactly(scene.database, LISTED);
    await confirmAsListed(scene.database, await aPayment(frozen), listing);
    await signer.signWaiting(scene.vault);
    await expectPlannedAnew(id, frozen, clean);
  });

  it('is not signed before they are final, nor when their sender was listed since [G-98]', async () => {
    const { id, addresses } = await aPlannedSweep(scene, chain);
    const [frozen, clean] = addresses.map(({ address }) => address) as [string, string];
    await aPayment(frozen, THIEF);
    await listExactly(scene.database, LISTED, THIEF);
    expect(await signer.sign(scene.vault, 'sweep', id)).toBeNull();
    await expectPlannedAnew(id, frozen, clean);
  });

  it('is not signed when they come while its addresses sign [G-98]', async () => {
    const { id, addresses } = await aPlannedSweep(scene, chain);
    const [frozen, clean] = addresses.map(({ address }) => address) as [string, string];
    const vault: Vault = {
      ...vaultWhose((signed) => signed),
      authorizeEvm: async (...asked) => {
        await aPayment(frozen);
        return scene.vault.authorizeEvm(...asked);
      },
    };
    expect(await signer.sign(vault, 'sweep', id)).toBeNull();
    await expectPlannedAnew(id, frozen, clean);
  });

  it('is signed when only others pay there, or the listed payment is off the chain again', async () => {
    const { id, addresses } = await aPlannedSweep(scene, chain);
    const [first = '', second = ''] = addresses.map(({ address }) => address);
    await aPayment(first, THIEF);
    const orphaned = await aPayment(second);
    await scene.query(`update deposit set status = 'orphaned' where id = $1`, [orphaned]);
    expect(await signer.sign(scene.vault, 'sweep', id)).toBeNull();
    expect(await signedFor(id)).not.toBeNull();
  });
});

describe('a contract that sweeps need', () => {
  const aContract = (address: string) =>
    scene.query(`insert into sweep_contract (id, chain_ref, kind, address) values ($1, $2, 'delegate', $3)`, [
      `swc_${chain.chainRef}`,
      chain.chainRef,
      address,
    ]);

  it('is deployed by the proxy, with the code that follows from the hot wallet', async () => {
    const { delegate } = sweepContracts((await wallet()).address_key);
    await aContract(delegate.address);
    await signer.signWaiting(scene.vault);
    const signed = await signedFor(`swc_${chain.chainRef}`);
    expect(signed).toMatchObject({ type: 2, value: 0n, nonce: 0 });
    expect(signed?.to?.toLowerCase()).toBe(DEPLOYMENT_PROXY);
    expect(signed?.data.endsWith(delegate.initCode.slice(2))).toBe(true);
  });

  it('that was found meanwhile is not signed for, but what is signed already can still be replaced', async () => {
    const { delegate } = sweepContracts((await wallet()).address_key);
    await aContract(delegate.address);
    const id = `swc_${chain.chainRef}`;
    await scene.query(`update sweep_contract set ready_at = now() where id = $1`, [id]);
    expect(await signer.sign(scene.vault, 'contract', id)).toBeNull();
    expect(await signedFor(id)).toBeNull();
    const order = await scene.database.transaction((tx) => new ContractOutcomeHandler().orderOf(tx, id));
    expect(order).toMatchObject({ kind: 'call', to: DEPLOYMENT_PROXY });
  });

  it('is not deployed when a row asks for another', async () => {
    await aContract(THIEF);
    await expect(signer.sign(scene.vault, 'contract', `swc_${chain.chainRef}`)).rejects.toThrow('not the hot wallet');
    expect(await wallet()).toMatchObject({ next_nonce: '0' });
  });
});
