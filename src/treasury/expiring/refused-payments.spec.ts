import { type KeyPairSigner, address } from '@solana/kit';
import {
  AuthorityType,
  getCloseAccountInstruction,
  getSetAuthorityInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token';
import { associatedTokenAccount } from '../../chains/solana/token-account.js';
import { eventually } from '../../../test/support/eventually.js';
import type { Lie } from '../../../test/support/proxy-node.js';
import { changing, deaf, knowingNone } from '../../../test/support/solana-lies.js';
import { type PaidMerchant, SolanaPayoutScene } from '../../../test/support/solana-payout-scene.js';

const DOLLAR = 1_000_000n;
const POCKET = 25n * DOLLAR;

let scene: SolanaPayoutScene;
let merchants: PaidMerchant[];
beforeAll(async () => {
  scene = await SolanaPayoutScene.funded();
  merchants = [...(await scene.merchants(8))];
});
afterAll(() => scene.close());

function nextMerchant(): PaidMerchant {
  const merchant = merchants.pop();
  if (merchant === undefined) throw new Error('No merchant is left.');
  return merchant;
}

const mint = () => scene.base.mints.USDC;
const accountOf = (owner: string) => associatedTokenAccount(owner, mint());

/** Somebody with an account of USDC, with coins for fees. */
async function recipient(): Promise<KeyPairSigner> {
  const wallet = await scene.lab.newWallet();
  await scene.lab.controls.fund({ owner: wallet.address, token: 'USDC', amount: DOLLAR });
  await scene.makeFinal();
  return wallet;
}

async function expectRefused(id: string, merchant: PaidMerchant, available = POCKET): Promise<void> {
  expect(await scene.shown(id)).toMatchObject({ status: 'failed', failure_code: 'destination_rejects' });
  expect(await scene.payouts(id)).toEqual([]);
  expect(await scene.availableTo(merchant)).toBe(available);
  expect(await scene.breaches()).toEqual([]);
}

describe('a withdrawal fails before anything is signed', () => {
  it("when the issuer has frozen the recipient's account", async () => {
    const [merchant, wallet] = [nextMerchant(), await recipient()];
    await scene.lab.controls.freeze(await accountOf(wallet.address));
    await scene.makeFinal();
    const { id } = await scene.order(merchant, { destination: wallet.address });
    await scene.sign();
    await expectRefused(id, merchant);
  });

  it("when the recipient's account was given to another owner", async () => {
    const [merchant, wallet] = [nextMerchant(), await recipient()];
    const gift = getSetAuthorityInstruction({
      owned: address(await accountOf(wallet.address)),
      owner: wallet,
      authorityType: AuthorityType.AccountOwner,
      newAuthority: scene.lab.faucet.address,
    });
    await scene.lab.land(await scene.lab.sign([gift], { payer: wallet }));
    await scene.makeFinal();
    const { id } = await scene.order(merchant, { destination: wallet.address });
    await scene.sign();
    await expectRefused(id, merchant);
  });

  it('when it is less than an address without coins must hold', async () => {
    const merchant = await scene.merchant('SOL');
    const pocket = await scene.availableTo(merchant);
    await expect(scene.order(merchant, { amount_cents: 65_023 })).rejects.toMatchObject({ code: 'invalid_request' });
    // As while no node has said how much that is: then its simulation refuses it.
    await scene.query(`update chain_token set minimum_amount = null`);
    const { id } = await scene.order(merchant, { amount_cents: 65_023 });
    await scene.sign();
    await expectRefused(id, merchant, pocket);
    const smallest = await scene.order(merchant, { amount_cents: 65_024 });
    await scene.sign();
    await scene.finish();
    expect(await scene.shown(smallest.id)).toMatchObject({ status: 'completed' });
  });
});

describe('a refusal by one of two nodes', () => {
  const refusing = changing('simulateTransaction', ({ value, ...answer }: { value: object }) => ({
    ...answer,
    value: { ...value, err: { InstructionError: [2, { Custom: 0 }] } },
  }));

  it('is no refusal while the other one is silent or accepts the payment', async () => {
    const [first, second] = [await scene.base.proxy(refusing), await scene.base.proxy(deaf('simulateTransaction'))];
    scene.workThrough([first.url, second.url]);
    const { id } = await scene.order(nextMerchant());
    await scene.sign();
    expect(await scene.shown(id)).toMatchObject({ status: 'broadcasting', is_signed: false });
    second.lie = null;
    scene.workThrough([first.url, second.url]);
    // It is asked again, later and later.
    await eventually(async () => {
      await scene.sign();
      return (await scene.shown(id))?.is_signed;
    }, 60_000);
    scene.workThrough();
    await scene.finish();
    expect(await scene.shown(id)).toMatchObject({ status: 'completed' });
  });
});

describe('a hot wallet of which the issuer has frozen the account', () => {
  it('is frozen here too, and withdrawals wait until it is thawed', async () => {
    const account = await accountOf(scene.hotWallet);
    await scene.lab.controls.freeze(account);
    await scene.makeFinal();
    const { id } = await scene.order(nextMerchant());
    await scene.sign();
    expect(await scene.shown(id)).toMatchObject({ status: 'broadcasting', is_signed: false });
    await scene.worker.checkFreezes();
    expect(await scene.frozenReason()).toBe('The issuer of USDC has frozen the hot wallet.');
    await scene.sign();
    expect(await scene.shown(id)).toMatchObject({ is_signed: false, waiting_reason: 'wallet_frozen' });
    await scene.lab.controls.thaw(account);
    await scene.makeFinal();
    await scene.query(`update hot_wallet set frozen_reason = null`);
    // The simulations of a worker that starts again are not paused.
    scene.workThrough();
    // It is simulated once the vault has found that only a simulation is missing.
    await scene.sign();
    await scene.sign();
    await scene.finish();
    expect(await scene.shown(id)).toMatchObject({ status: 'completed' });
  });
});

describe('a payment that fails on the chain', () => {
  /** The payment is signed, then the issuer freezes the account of the recipient. */
  async function failing() {
    const [merchant, wallet] = [nextMerchant(), await recipient()];
    const { id } = await scene.order(merchant, { destination: wallet.address });
    await scene.sign();
    await scene.lab.controls.freeze(await accountOf(wallet.address));
    await scene.lab.controls.mine();
    const coins = await scene.balanceOf(scene.hotWallet, 'SOL');
    await scene.worker.send();
    await scene.makeFinal();
    return { id, merchant, spent: coins - (await scene.balanceOf(scene.hotWallet, 'SOL')) };
  }

  async function expectReturned({ id, merchant, spent }: Awaited<ReturnType<typeof failing>>): Promise<void> {
    const [payout] = await scene.payouts(id);
    expect(payout).toMatchObject({ status: 'reverted', fee_paid: String(spent) });
    expect(spent).toBeGreaterThan(0n);
    expect(await scene.shown(id)).toMatchObject({
      status: 'failed',
      failure_code: 'transaction_reverted',
      tx_hash: payout?.tx_hash,
    });
    expect(await scene.availableTo(merchant)).toBe(POCKET);
    expect(await scene.breaches()).toEqual([]);
  }

  it('ends failed with the money back in the pocket and its fee booked [I-116]', async () => {
    const failed = await failing();
    await scene.worker.confirm();
    await expectReturned(failed);
  });

  it('ends so only when the second node confirms it [I-116]', async () => {
    const [first, second] = [await scene.base.proxy(null), await scene.base.proxy(null)];
    scene.workThrough([first.url, second.url]);
    const failed = await failing();
    const lies: readonly [Lie | null, Lie | null][] = [
      [knowingNone, null],
      [null, knowingNone],
    ];
    for (const [one, other] of lies) {
      [first.lie, second.lie] = [one, other];
      await scene.worker.confirm();
      expect(await scene.shown(failed.id)).toMatchObject({ status: 'broadcasting' });
    }
    second.lie = null;
    await scene.worker.confirm();
    await expectReturned(failed);
    scene.workThrough();
  });
});

describe("a recipient's account that is closed between the simulation and the block", () => {
  it('is opened by the payment, which completes with the rent in its costs', async () => {
    const [merchant, wallet] = [nextMerchant(), await recipient()];
    const { lab } = scene;
    const { id } = await scene.order(merchant, { destination: wallet.address });
    await scene.sign();
    const source = address(await accountOf(wallet.address));
    const emptied = getTransferCheckedInstruction({
      source,
      mint: address(mint()),
      destination: address(await accountOf(scene.hotWallet)),
      authority: wallet,
      amount: DOLLAR,
      decimals: 6,
    });
    const closed = getCloseAccountInstruction({ account: source, destination: wallet.address, owner: wallet });
    await lab.land(await lab.sign([emptied, closed], { payer: wallet }));
    await scene.finish();
    const [payout] = await scene.payouts(id);
    expect(payout?.status).toBe('succeeded');
    expect(Number(payout?.fee_paid)).toBeGreaterThan(1_488_440);
    expect(await scene.balanceOf(wallet.address, 'USDC')).toBe(DOLLAR);
    expect(await scene.breaches()).toEqual([]);
  });
});
