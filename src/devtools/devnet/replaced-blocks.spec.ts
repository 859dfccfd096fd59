import { z } from 'zod';
import { DevChainControls } from '../../../test/support/dev-chain-controls.js';
import { DevChainDirectory } from '../../../test/support/dev-chain-directory.js';
import { eventually } from '../../../test/support/eventually.js';
import { ProxyNode } from '../../../test/support/proxy-node.js';
import type { EvmDevChain } from './evm-dev-chain.js';
import { replaceBlocks } from './replaced-blocks.js';

const PAYEE = '0x00000000000000000000000000000000000000dd';

let dir: DevChainDirectory;
let chain: EvmDevChain;
let controls: DevChainControls;
let node: ProxyNode;
beforeEach(async () => {
  dir = await DevChainDirectory.create();
  chain = await dir.start();
  controls = new DevChainControls(chain);
  node = await ProxyNode.start(chain.rpcUrl);
});
afterEach(async () => {
  await node.stop();
  await dir.remove();
});

it('replaces blocks only after their transactions have left the pool', async () => {
  const { txHash } = await controls.pay({ to: PAYEE, token: null, amount: 1n });
  await eventually(
    () => controls.ask(z.unknown(), 'txpool_content'),
    (pool) => !JSON.stringify(pool).includes(txHash),
  );
  const asked: string[] = [];
  // As if the block were visible, and the transaction not taken out of the pool yet.
  node.lie = async (question, ask) => {
    asked.push(question.method);
    const isEarly =
      question.method === 'txpool_content' && asked.filter((method) => method === 'txpool_content').length < 3;
    if (isEarly) return { pending: { [PAYEE]: { 0: { hash: txHash } } }, queued: {} };
    return (await ask(question))['result'];
  };
  await replaceBlocks({ ...chain, rpcUrl: node.url }, 1, []);
  const relevant = asked.filter((method) => ['txpool_content', 'anvil_reorg'].includes(method));
  expect(relevant).toEqual(['txpool_content', 'txpool_content', 'txpool_content', 'anvil_reorg']);
  expect(await controls.find(txHash)).toBeNull();
});
