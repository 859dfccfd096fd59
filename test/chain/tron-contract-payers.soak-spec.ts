import { z } from 'zod';
import { hashOfKey } from '../../src/chains/tron/tron-address.js';
import { tronDevAccount } from '../../src/devtools/devnet/tron/tron-dev-accounts.js';
import { compileSolidity } from '../support/solidity.js';
import { TronScene } from '../support/tron-scene.js';

const DOLLARS = 1_000_000n;
const SOURCE = `
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface Token {
  function transfer(address to, uint256 value) external;
  function transferFrom(address from, address to, uint256 value) external;
}

interface Box { function pay(address payable to, uint256 amount) external; }

contract Till {
  function pay(Token token, address to, uint256 value) external { token.transfer(to, value); }

  /// Pays from two accounts that have approved it.
  function collect(Token token, address first, address second, address to, uint256 each) external {
    token.transferFrom(first, to, each);
    token.transferFrom(second, to, each);
  }

  /// Pays from a box, and what it is given itself.
  function payWith(Box box, address payable to, uint256 amount) external payable {
    box.pay(to, amount);
    (bool isPaid,) = to.call{value: msg.value}("");
    require(isPaid, "not paid");
  }
}
`;
const COMPILED = z.object({
  contracts: z.object({
    'till.sol': z.object({ Till: z.object({ evm: z.object({ bytecode: z.object({ object: z.string() }) }) }) }),
  }),
});

const word = (units: bigint): string => units.toString(16);

function tillCode(): Uint8Array {
  const output = compileSolidity({
    language: 'Solidity',
    sources: { 'till.sol': { content: SOURCE } },
    settings: { evmVersion: 'cancun', outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
  });
  const compiled = COMPILED.safeParse(output);
  if (!compiled.success) throw new Error(`The contract does not compile: ${JSON.stringify(output)}`);
  return Buffer.from(compiled.data.contracts['till.sol'].Till.evm.bytecode.object, 'hex');
}

let scene: TronScene;
let till: string;
beforeAll(async () => {
  scene = await TronScene.open();
  till = await scene.rig.deploy(tillCode());
  scene.listen();
});
afterAll(() => scene.close());

/** Waits until everything is final, and returns the deposits of an address that count. */
async function finalDepositsTo(address: string) {
  await scene.settle();
  await scene.untilRead();
  return (await scene.deposits()).filter(({ to_address: to }) => to === address);
}

describe.each(['USDT', 'USDC'] as const)('a payment in %s on Tron', (symbol) => {
  it('counts when a contract pays it', async () => {
    const { rig, tokens } = scene;
    const intent = await scene.intent(symbol);
    await rig.controls.fund(till, symbol, 25n * DOLLARS);
    await rig.controls.mine(1);
    const args = [hashOfKey(tokens[symbol]), hashOfKey(intent.address), word(25n * DOLLARS)];
    const txHash = await rig.call(till, 'pay(address,address,uint256)', args);
    expect(await finalDepositsTo(intent.address)).toMatchObject([
      { tx_hash: txHash, status: 'confirmed', amount: '25000000', from_address: till, intent_id: intent.id },
    ]);
  });

  it('counts twice when a contract collects it from two payers in one transaction', async () => {
    const { rig, tokens } = scene;
    const intent = await scene.intent(symbol);
    const payers = [rig.faucet, tronDevAccount('sandboxPayer')];
    for (const caller of payers) {
      await rig.call(tokens[symbol], 'approve(address,uint256)', [hashOfKey(till), word(10n * DOLLARS)], { caller });
    }
    await rig.controls.mine(1);
    const from = payers.map(({ address }) => hashOfKey(address));
    const args = [hashOfKey(tokens[symbol]), ...from, hashOfKey(intent.address), word(10n * DOLLARS)];
    const txHash = await rig.call(till, 'collect(address,address,address,address,uint256)', args);
    const paid = { tx_hash: txHash, status: 'confirmed', amount: '10000000', intent_id: intent.id };
    expect(await finalDepositsTo(intent.address)).toMatchObject(
      payers.map(({ address }) => ({ ...paid, from_address: address })),
    );
  });
});

describe('TRX on Tron', () => {
  it('count to the last sun when a contract and its caller pay them in one transaction', async () => {
    const { rig, contracts } = scene;
    const intent = await scene.intent('TRX');
    const args = [hashOfKey(contracts.PayoutBox), hashOfKey(intent.address), word(15n * DOLLARS)];
    const txHash = await rig.call(till, 'payWith(address,address,uint256)', args, { sun: 10n * DOLLARS });
    await finalDepositsTo(intent.address);
    await scene.until(async () => {
      const deposits = await finalDepositsTo(intent.address);
      expect(deposits.map(({ status, amount }) => `${status} ${amount}`)).toEqual(['confirmed 25000000']);
      expect(deposits[0]).toMatchObject({ intent_id: intent.id, tx_hash: null, from_address: null });
    });
    const info = await rig.ask('/walletsolidity/gettransactioninfobyid', { value: txHash });
    expect(info).toMatchObject({ receipt: { result: 'SUCCESS' } });
  });
});
