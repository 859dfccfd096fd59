import { z } from 'zod';
import { eventuallyPasses } from '../../../test/support/eventually.js';
import { TronScene } from '../../../test/support/tron-scene.js';
import { NATIVE_POSITION } from '../../chains/chain.js';
import { hashOfKey, keyOfHash } from '../../chains/tron/tron-address.js';
import { NATIVE_COIN } from '../../domain/network.js';

const DOLLARS = 1_000_000n;
const INFO = z.object({ contractResult: z.array(z.string()), receipt: z.object({ result: z.string() }) });

let scene: TronScene;
beforeEach(async () => {
  scene = await TronScene.open();
});
afterEach(() => scene.close());

const word = (units: bigint): string => units.toString(16);

describe('a payment on Tron', () => {
  it.each(['USDT', 'USDC', 'TRX'] as const)(
    'in %s is seen in its block, and final once the solidity interface has it',
    async (symbol) => {
      const intent = await scene.intent(symbol);
      scene.listen();
      const txHash = await scene.rig.controls.fund(intent.address, symbol === 'TRX' ? null : symbol, 25n * DOLLARS);
      const { head } = await scene.rig.controls.mine(1);
      const deposit = {
        amount: '25000000',
        token_contract: intent.chain.contract,
        tx_hash: txHash,
        position: symbol === 'TRX' ? NATIVE_POSITION : 0,
        from_address: scene.rig.faucet.address,
        to_address: intent.address,
        block_height: String(head),
        intent_id: intent.id,
      };
      await scene.untilRead();
      expect(await scene.deposits()).toMatchObject([{ ...deposit, status: 'seen' }]);
      await scene.settle();
      await scene.untilRead();
      expect(await scene.deposits()).toMatchObject([{ ...deposit, status: 'confirmed' }]);
    },
  );

  it('counts what arrives, where the issuer of USDT takes a fee of it', async () => {
    const intent = await scene.intent();
    await scene.rig.controls.setTokenFee(10, 5);
    await scene.rig.controls.mine(1);
    scene.listen();
    await scene.rig.controls.fund(intent.address, 'USDT', 25n * DOLLARS);
    await scene.settle();
    await scene.untilRead();
    expect(await scene.deposits()).toMatchObject([
      { status: 'confirmed', amount: '24975000', intent_id: intent.id, to_address: intent.address },
    ]);
  });

  it('may come in parts, some of them in one block', async () => {
    const intent = await scene.intent();
    scene.listen();
    for (const part of [10n, 5n]) await scene.rig.controls.fund(intent.address, 'USDT', part * DOLLARS);
    await scene.rig.controls.mine(1);
    await scene.rig.controls.fund(intent.address, 'USDT', 10n * DOLLARS);
    await scene.settle();
    await scene.untilRead();
    const deposits = await scene.deposits();
    expect(deposits.map(({ amount }) => amount).toSorted()).toEqual(['10000000', '10000000', '5000000']);
    expect(new Set(deposits.map(({ intent_id }) => intent_id))).toEqual(new Set([intent.id]));
  });

  it('in USDT counts although the token returns false [G-85]', async () => {
    const intent = await scene.intent();
    const txHash = await scene.rig.controls.fund(intent.address, 'USDT', 25n * DOLLARS);
    await scene.settle();
    const info = INFO.parse(await scene.rig.ask('/walletsolidity/gettransactioninfobyid', { value: txHash }));
    expect(info).toEqual({ contractResult: ['0'.repeat(64)], receipt: { result: 'SUCCESS' } });
    scene.listen();
    await scene.untilRead();
    expect(await scene.deposits()).toMatchObject([{ amount: '25000000', status: 'confirmed' }]);
  });

  it('in a token that takes a fee counts as what has arrived [G-90]', async () => {
    await scene.rig.controls.setTokenFee(10, 49);
    await scene.rig.controls.mine(1);
    const intent = await scene.intent();
    const txHash = await scene.rig.controls.fund(intent.address, 'USDT', 25n * DOLLARS);
    await scene.settle();
    scene.listen();
    await scene.untilRead();
    expect(await scene.deposits()).toMatchObject([{ tx_hash: txHash, amount: '24975000', intent_id: intent.id }]);
  });

  it.each<[what: string, send: (to: string) => Promise<string>, result: string]>([
    [
      'reverted',
      async (to) => {
        const { rig, tokens, contracts } = scene;
        const forwarder = hashOfKey(contracts.RevertingForwarder);
        await rig.call(tokens.USDT, 'approve(address,uint256)', [forwarder, word(25n * DOLLARS)]);
        await rig.controls.mine(1);
        const args = [hashOfKey(tokens.USDT), hashOfKey(to), word(25n * DOLLARS)];
        return rig.call(contracts.RevertingForwarder, 'forwardToken(address,address,uint256)', args);
      },
      'REVERT',
    ],
    [
      'out of energy',
      async (to) => {
        const args = [hashOfKey(to), word(25n * DOLLARS)];
        return scene.rig.call(scene.tokens.USDT, 'transfer(address,uint256)', args, { feeLimit: 500_000 });
      },
      'OUT_OF_ENERGY',
    ],
  ])('that is %s on the chain is none [G-94]', async (_what, send, result) => {
    const intent = await scene.intent();
    const txHash = await send(intent.address);
    await scene.settle();
    const info = await scene.rig.ask('/walletsolidity/gettransactioninfobyid', { value: txHash });
    expect(info).toMatchObject({ receipt: { result }, result: 'FAILED' });
    scene.listen();
    await scene.untilRead();
    expect(await scene.deposits()).toEqual([]);
  });

  it('in an unlisted token, or to an address of others, is none [G-83]', async () => {
    const intent = await scene.intent();
    await scene.rig.controls.fund(intent.address, 'USDC', 25n * DOLLARS);
    await scene.rig.controls.fund(keyOfHash('d4'.repeat(20)), 'USDT', 25n * DOLLARS);
    await scene.settle();
    scene.listen({ listed: ['USDT', 'TRX'] });
    await scene.untilRead();
    expect(await scene.deposits()).toEqual([]);
  });

  it('to an address without an intent, or in another token, is attributed to none [G-95]', async () => {
    const free = await scene.freeAddress();
    const intent = await scene.intent('USDT');
    const ids = [
      await scene.rig.controls.fund(free, 'USDT', DOLLARS),
      await scene.rig.controls.fund(intent.address, 'USDC', DOLLARS),
      await scene.rig.controls.fund(intent.address, null, DOLLARS),
    ];
    await scene.settle();
    scene.listen();
    await scene.untilRead();
    const found = new Map((await scene.deposits()).map((one) => [one.tx_hash, one.unattributed_reason]));
    expect(ids.map((id) => found.get(id))).toEqual(['address_not_assigned', 'other_token', 'other_token']);
  });
});

describe('TRX that a contract pays', () => {
  it.each(['on', 'off', 'flapping'] as const)(
    'are found by the balance, with internal transactions %s [G-93]',
    async (mode) => {
      await scene.rig.controls.setInternalTransactions(mode);
      const intent = await scene.intent('TRX');
      scene.listen();
      await scene.payThroughContract(intent.address, 25n * DOLLARS);
      const { head } = await scene.rig.controls.mine(1);
      await scene.untilRead();
      expect(await scene.deposits()).toEqual([]);
      await scene.settle();
      await scene.untilRead();
      const remainder = { tx_hash: null, from_address: null, position: NATIVE_POSITION, amount: '25000000' };
      await scene.until(async () => {
        const [found, ...more] = await scene.deposits();
        expect(found).toMatchObject({ ...remainder, token_contract: NATIVE_COIN, intent_id: intent.id });
        expect(found).toMatchObject({ status: 'confirmed' });
        expect(Number(found?.block_height)).toBeGreaterThanOrEqual(head);
        expect(more).toEqual([]);
      });
    },
  );

  it('are counted once beside a transaction to the same address, in any order', async () => {
    const intent = await scene.intent('TRX');
    scene.listen();
    await scene.payThroughContract(intent.address, 15n * DOLLARS);
    await scene.rig.controls.mine(1);
    await scene.rig.controls.fund(intent.address, null, 7n * DOLLARS);
    await scene.rig.controls.mine(1);
    await scene.untilRead();
    await scene.payThroughContract(intent.address, 3n * DOLLARS);
    for (let block = 0; block < 8; block++) {
      await scene.rig.controls.mine(1);
      await scene.untilRead();
    }
    const deposits = await scene.deposits();
    expect(deposits.filter((one) => one.tx_hash !== null).map(({ amount }) => amount)).toEqual(['7000000']);
    expect(deposits.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(25n * DOLLARS);
    expect(new Set(deposits.map(({ status }) => status))).toEqual(new Set(['confirmed']));
    expect(scene.log.named('An address holds less than the books say.')).toEqual([]);
  });

  it('while nothing listens are found afterwards', async () => {
    const intent = await scene.intent('TRX');
    await scene.payThroughContract(intent.address, 25n * DOLLARS);
    await scene.settle();
    scene.listen();
    await scene.untilRead();
    await scene.until(async () => {
      expect(await scene.deposits()).toMatchObject([{ tx_hash: null, amount: '25000000', status: 'confirmed' }]);
    });
  });

  it('delay the expiry of intents in TRX until the final block is past the deadline', async () => {
    await scene.intent('TRX');
    scene.listen();
    const { head, solid } = await scene.rig.controls.mine(1);
    await scene.untilRead();
    const timeOf = async (height: number): Promise<number> => {
      const answer = await scene.rig.ask('/wallet/getblock', { id_or_num: String(height) });
      const block = z.object({ block_header: z.object({ raw_data: z.object({ timestamp: z.number() }) }) });
      return block.parse(answer).block_header.raw_data.timestamp;
    };
    const { coinsReadTo } = await scene.cursor();
    expect(coinsReadTo?.getTime()).toBe(await timeOf(solid));
    expect(head).toBeGreaterThan(solid);
  });
});

describe('a micro fork', () => {
  it.each([
    ['USDT', 'USDT'],
    ['TRX', null],
  ] as const)(
    'drops a payment in %s that does not come back, and moves one that does [F-66]',
    async (symbol, token) => {
      const [kept, lost] = [await scene.intent(symbol), await scene.intent(symbol)];
      scene.listen();
      const keptHash = await scene.rig.controls.fund(kept.address, token, 25n * DOLLARS);
      await scene.rig.controls.mine(1);
      await scene.untilRead();
      const [before] = await scene.deposits();
      expect(before).toMatchObject({ tx_hash: keptHash, status: 'seen' });
      await scene.rig.controls.fork(1, 'return');
      await scene.rig.controls.miss(1);
      await scene.rig.controls.mine(2);
      await scene.untilRead();
      expect(await scene.deposits()).toMatchObject([{ tx_hash: keptHash, status: 'seen' }]);

      const lostHash = await scene.rig.controls.fund(lost.address, token, 25n * DOLLARS);
      await scene.rig.controls.mine(1);
      await scene.untilRead();
      expect((await scene.deposits()).map(({ tx_hash }) => tx_hash)).toContain(lostHash);
      await scene.rig.controls.fork(1, 'vanish');
      await scene.rig.controls.miss(1);
      await scene.settle();
      await scene.untilRead();
      await eventuallyPasses(async () => {
        expect(await scene.deposits()).toMatchObject([{ tx_hash: keptHash, status: 'confirmed', amount: '25000000' }]);
      });
    },
  );
});
