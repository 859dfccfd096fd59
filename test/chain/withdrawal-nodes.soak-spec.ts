import { Wallet } from 'ethers';
import { VaultState } from '../../src/vault-status/vault-state.service.js';
import { newMerchant } from '../http/paying.js';
import { holdBack } from '../withdrawals/payout-weather.js';
import { eventually } from '../support/eventually.js';
import { COIN, PayoutLab } from '../withdrawals/payout-lab.js';
import { startRival } from '../withdrawals/rival.js';
import { payoutOf, withdrawalEvents } from '../withdrawals/payouts.js';
import { untilEnded, withdraw } from '../withdrawals/withdrawals.js';

/** Code that refuses every call, like a paused token. */
const REFUSING_CODE = '0x60006000fd';
const PARALLEL = 10;

let lab: PayoutLab;

beforeAll(async () => {
  lab = await PayoutLab.open();
});
afterAll(() => lab.close());
beforeEach(() => {
  lab.lie = null;
  lab.handedOver.length = 0;
});

const newDestination = (): string => Wallet.createRandom().address;

describe('a hot wallet that holds too little', () => {
  it('lets a withdrawal wait for funds and for gas, shows the reason, and pays once it is filled [I-117]', async () => {
    const withdrawal = await lab.order(newDestination());
    await lab.waits(withdrawal.id, 'coins_missing');
    await lab.fillHotWallet({ usdc: 100_000n * COIN });
    await lab.waits(withdrawal.id, 'gas_missing');
    expect(await payoutOf(lab.world.database, withdrawal.id)).toBeNull();
    expect(await lab.get(withdrawal.id)).toMatchObject({ status: 'broadcasting', tx_hash: null });
    await lab.fillHotWallet({ coins: 10n * COIN });
    await lab.expectPaidOnce(await lab.completed(withdrawal));
  });
});

describe('a node that fails while it pays', () => {
  it('gets the same bytes again when it accepted them without an answer, and pays once [I-109]', async () => {
    lab.lie = ({ method }, truth) => {
      if (method === 'eth_sendRawTransaction') throw new Error('The node took it, and the connection breaks.');
      return truth;
    };
    await lab.mineByItself(false);
    const withdrawal = await lab.order(newDestination());
    const { attempts } = await lab.signed(withdrawal.id);
    await eventually(
      () => lab.handedOver.length,
      (seen) => seen > 0,
    );
    expect(await lab.get(withdrawal.id)).toMatchObject({ status: 'broadcasting', tx_hash: null });
    // The node answers "already known", and later "nonce too low": neither ends the payment.
    const said: string[] = [];
    lab.lie = ({ method }, truth) => {
      if (method === 'eth_sendRawTransaction' && 'error' in truth) said.push(truth.error.message);
      return truth;
    };
    await lab.handedOverAgain();
    await lab.sent(withdrawal.id);
    await lab.testnet.controls.mine();
    await lab.handedOverAgain();
    await eventually(
      () => said,
      (seen) => seen.some((words) => /nonce too low/.test(words)),
    );
    expect(said[0]).toMatch(/already/);
    expect(await lab.get(withdrawal.id)).toMatchObject({ status: 'broadcasting', tx_hash: attempts[0]?.txHash });
    await lab.mineByItself(true);
    await lab.expectPaidOnce(await lab.completed(withdrawal));
    expect(new Set(lab.handedOver)).toEqual(new Set([attempts[0]?.raw]));
    expect((await payoutOf(lab.world.database, withdrawal.id))?.attempts).toHaveLength(1);
  });

  it('is waited for when it has no receipt of a final transaction, and nothing is paid or refunded [I-110]', async () => {
    const withdrawal = await lab.order(newDestination());
    await lab.arrived(withdrawal);
    let denied = 0;
    lab.lie = ({ method }, truth) => {
      if (method !== 'eth_getTransactionReceipt') return truth;
      denied += 1;
      return { result: null };
    };
    await lab.makeFinal();
    await eventually(
      () => denied,
      (seen) => seen >= 2,
    );
    expect(await lab.get(withdrawal.id)).toMatchObject({ status: 'broadcasting' });
    lab.lie = null;
    await lab.expectPaidOnce(await untilEnded(lab.world.api, withdrawal.id, 'completed'));
  });

  it('gets the same bytes again when it dropped them from its pool [I-109]', async () => {
    await lab.mineByItself(false);
    const withdrawal = await lab.order(newDestination());
    const { attempts } = await lab.sent(withdrawal.id);
    await holdBack(lab.world.database);
    await lab.testnet.node.send('anvil_dropTransaction', attempts[0]?.txHash);
    await lab.makeFinal();
    expect(await lab.arrivals(withdrawal.destination)).toEqual([]);
    await lab.handedOverAgain();
    await lab.mineByItself(true);
    await lab.testnet.controls.mine();
    const completed = await lab.completed(withdrawal);
    expect(new Set(lab.handedOver)).toEqual(new Set([attempts[0]?.raw]));
    await lab.expectPaidOnce(completed);
  });
});

describe('a transaction that the chain reverts', () => {
  it('fails the withdrawal, refunds amount and fee, books the gas and is not tried again [I-116]', async () => {
    const before = await lab.pocket();
    await lab.mineByItself(false);
    const withdrawal = await lab.order(newDestination());
    const payout = await lab.sent(withdrawal.id);
    const code = await lab.codeOfToken();
    await lab.testnet.node.send('anvil_setCode', lab.usdc, REFUSING_CODE);
    await lab.testnet.controls.mine();
    await lab.testnet.node.send('anvil_setCode', lab.usdc, code);
    await lab.mineByItself(true);
    await lab.makeFinal();
    const failed = await untilEnded(lab.world.api, withdrawal.id, 'failed');
    expect(failed).toMatchObject({ failure_code: 'transaction_reverted', tx_hash: payout.attempts[0]?.txHash });
    expect(await lab.pocket()).toMatchObject({ available_cents: before.available_cents, held_cents: 0 });
    expect(await withdrawalEvents(lab.world.database, withdrawal.id)).toEqual(['withdrawal.failed']);
    const ended = await payoutOf(lab.world.database, withdrawal.id);
    expect(ended).toMatchObject({ status: 'reverted', nonce: payout.nonce });
    expect(ended?.feePaid).toBeGreaterThan(0n);
    const next = await lab.order(newDestination());
    expect(await lab.signed(next.id)).toMatchObject({ nonce: payout.nonce + 1 });
    await lab.expectPaidOnce(await lab.completed(next));
    expect(await lab.arrivals(withdrawal.destination)).toEqual([]);
  });
});

describe('two vaults and two workers', () => {
  it('pay 10 withdrawals from 10 pockets at once: no nonce is missing or used twice, each is paid once [I-111] [I-112] [I-113]', async () => {
    const rival = await startRival(lab);
    try {
      await eventually(() => rival.get(VaultState).isOpen);
      const payers = await Promise.all(Array.from({ length: PARALLEL }, () => newMerchant(lab.world)));
      const pockets = await lab.fillPockets(payers);
      const first = await lab.sentByHotWallet();
      const withdrawals = await Promise.all(
        pockets.map(async ({ api, pocket }) => {
          const { body } = await withdraw(api, pocket.id, { destination: newDestination() });
          return { api, body };
        }),
      );
      for (const { body } of withdrawals) await lab.arrived(body);
      await lab.makeFinal();
      const nonces: number[] = [];
      for (const { api, body } of withdrawals) {
        await lab.expectArrivedOnce(await untilEnded(api, body.id, 'completed'));
        nonces.push((await payoutOf(lab.world.database, body.id))?.nonce ?? -1);
      }
      expect(nonces.toSorted((a, b) => a - b)).toEqual(Array.from({ length: PARALLEL }, (_, n) => first + n));
      expect(await lab.sentByHotWallet()).toBe(first + PARALLEL);
      await lab.expectBooks();
    } finally {
      await rival.stop();
    }
  });
});
