import { DevChainControls } from '../../../test/support/dev-chain-controls.js';
import { DevChainDirectory } from '../../../test/support/dev-chain-directory.js';
import type { EvmDevChain } from './evm-dev-chain.js';
import { sendTestTokens } from '../../../test/support/send-test-tokens.js';
import { broadcastTransfer, nextNonce, signTestTransfer } from './test-transfer.js';

const PAYEE = '0x00000000000000000000000000000000000000bb';

let dir: DevChainDirectory;
let chain: EvmDevChain;
let controls: DevChainControls;

beforeAll(async () => {
  dir = await DevChainDirectory.create();
  chain = await dir.start('ethereum');
  controls = new DevChainControls(chain);
});
afterAll(() => dir.remove());

describe('sendTestTokens', () => {
  it('sends 50 concurrent transfers, each of them once', async () => {
    const before = await controls.balance('USDC', PAYEE);
    const transfers = Array.from({ length: 50 }, () => sendTestTokens(chain, { to: PAYEE, token: 'USDC', amount: 3n }));
    const hashes = await Promise.all(transfers);
    await Promise.all(hashes.map((hash) => controls.waitUntilMined(hash)));
    expect(new Set(hashes).size).toBe(50);
    expect((await controls.balance('USDC', PAYEE)) - before).toBe(150n);
  });

  it('continues after a transfer that could not be sent', async () => {
    const bad = sendTestTokens(chain, { to: PAYEE, token: 'NONE', amount: 1n });
    const good = sendTestTokens(chain, { to: PAYEE, token: 'USDC', amount: 1n });
    await expect(bad).rejects.toThrow('has no NONE');
    expect((await controls.waitUntilMined(await good)).succeeded).toBe(true);
  });

  it('takes the next nonce when another sender of the same account was faster', async () => {
    const transfer = { to: PAYEE, token: 'USDC', amount: 1n };
    const nonce = await nextNonce(chain, chain.faucet.address);
    const rival = signTestTransfer(chain, transfer, nonce).then((signed) => broadcastTransfer(chain, signed));
    const [hash] = await Promise.all([sendTestTokens(chain, transfer), rival.catch(() => undefined)]);
    expect((await controls.waitUntilMined(hash)).succeeded).toBe(true);
  });
});

describe('a signed transfer', () => {
  it('moves the tokens once, however often it is sent', async () => {
    const from = chain.sandboxPayer;
    const before = await controls.balance('USDC', PAYEE);
    const nonce = await nextNonce(chain, from.address);
    const signed = await signTestTransfer(chain, { from, to: PAYEE, token: 'USDC', amount: 5n }, nonce);
    expect(signed).toMatchObject({ sender: from.address, nonce });
    await broadcastTransfer(chain, signed);
    await broadcastTransfer(chain, signed);
    await controls.waitUntilMined(signed.txHash);
    await broadcastTransfer(chain, signed);
    expect((await controls.balance('USDC', PAYEE)) - before).toBe(5n);
  });

  it('is refused with the message of the chain when its nonce is used', async () => {
    const from = chain.sandboxPayer;
    await controls.pay({ from, to: PAYEE, token: 'USDC', amount: 1n });
    const signed = await signTestTransfer(chain, { from, to: PAYEE, token: 'USDC', amount: 6n }, 0);
    await expect(broadcastTransfer(chain, signed)).rejects.toThrow('nonce too low');
  });
});
