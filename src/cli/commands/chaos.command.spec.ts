import { once } from 'node:events';
import { createServer } from 'node:http';
import { KeptText, runCommand } from '../../../test/support/cli-run.js';
import { FakeNode, listenLocally } from '../../../test/support/fake-node.js';
import { STILL_CHAIN } from '../../../test/support/fault-chain.js';
import { eventually } from '../../../test/support/eventually.js';
import { RpcProbe } from '../../../test/support/fault-probe.js';
import type { Fault } from '../../devtools/chaos/fault.js';
import { FAULTS, faultNamed } from '../../devtools/chaos/faults.js';
import { CHAOS_FAMILIES } from './chaos-families.js';
import { NETWORK_PROFILES } from '../../chains/networks.js';
import { rehearse } from './chaos.command.js';
import { TronNodeRig } from '../../../test/support/tron-node-rig.js';
import { terminalOf } from '../terminal.js';

const faults = (...names: readonly string[]): Fault[] =>
  names.map((name) => faultNamed(name)).filter((fault) => fault !== null);
const serving = (chainId: string) => ({ ...STILL_CHAIN, eth_chainId: () => `0x${BigInt(chainId).toString(16)}` });

let node: FakeNode;
beforeEach(async () => {
  node = await FakeNode.start(serving('80002'));
});
afterEach(() => node.stop());

describe('chaos', () => {
  it('prints the URL to use, each fault as it happens, and their number at the end', async () => {
    const [out, err] = [new KeptText(), new KeptText()];
    const end = new AbortController();
    const target = `http://user:sesame@${node.host}/v2/0123456789abcdef`;
    const rehearsal = {
      target,
      family: CHAOS_FAMILIES.evm,
      port: 0,
      faults: faults('null', '429'),
      seed: 7,
      share: 0.8,
      minutes: 1,
    };
    const ended = rehearse(rehearsal, terminalOf(out, err), end.signal);
    const [, url = ''] = await eventually(() => /SANDBOX_POLYGON_RPC_URL=(\S+)/.exec(out.text));
    const probe = new RpcProbe(url);
    await eventually(
      async () => {
        await probe.ask('eth_blockNumber').catch(() => null);
        return out.text;
      },
      (text) => /^#\d+ null: eth_blockNumber$/m.test(text) && /^#\d+ 429: /m.test(text),
    );
    end.abort();
    expect(await ended).toBe(0);
    const [, requests, hits] = /\n(\d+) requests, (\d+) faults, seed 7\.\n/.exec(out.text) ?? [];
    expect(out.text.match(/^#\d+ /gm)).toHaveLength(Number(hits));
    expect(Number(requests)).toBeGreaterThanOrEqual(2);
    expect(out.text).toMatch(/\n {2}null +\d+\n/);
    expect(out.text).toContain(`to http://${node.host} (chain id 80002)`);
    expect(out.text + err.text).not.toMatch(/sesame|0123456789abcdef/);
    expect(node.requests.map(({ headers }) => headers.authorization)).toContain(
      `Basic ${Buffer.from('user:sesame').toString('base64')}`,
    );
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('asks a node of Tron by its own interface, and refuses one that is none', async () => {
    const rig = await TronNodeRig.start();
    const args = ['chaos', '--family', 'tron', '--faults', 'no-infos', '--minutes', '0', '--target'];
    const { genesisId } = await rig.controls.info();
    expect(await runCommand([...args, rig.url])).toMatchObject({
      out: expect.stringContaining(`(chain id ${genesisId})`),
    });
    await rig.remove();
    expect((await runCommand([...args, rig.url])).err).toContain('The target does not return a chain id.');
    expect((await runCommand(['chaos', '--family', 'bitcoin', '--target', node.url])).err).toContain(
      'evm, solana, tron',
    );
  });

  it('fails if a fault did not occur', async () => {
    const args = ['chaos', '--target', node.url, '--faults', 'lag,429', '--minutes', '0', '--seed', '3'];
    expect(await runCommand(args)).toMatchObject({
      code: 1,
      out: expect.stringContaining('0 requests, 0 faults, seed 3.'),
      err: 'Did not occur: lag, 429. This run proves nothing about them.\n',
    });
  });

  // The faults are of EVM nodes; others have no chain id to spoil.
  it.each(
    NETWORK_PROFILES.filter(({ environment, addressFamily }) => environment === 'live' && addressFamily === 'evm'),
  )('refuses a node of live $network, whatever the other options', async ({ chainId, network }) => {
    node.methods = serving(chainId);
    const { code, out, err } = await runCommand(['chaos', '--target', node.url, '--minutes', '0']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(
      `--target is a node of live ${network} (chain id ${chainId}): only test networks are allowed.`,
    );
  });

  it('notes that the service has no such chain, and uses every fault that needs no second node', async () => {
    node.methods = serving('31337');
    const { out } = await runCommand(['chaos', '--target', node.url, '--minutes', '0']);
    expect(out).toContain('SANDBOX_<NETWORK>_RPC_URL=http://127.0.0.1:');
    expect(out).toContain('this service has no network with the chain id 31337');
    const [, listed = ''] = /seed \d+:\n {2}(.*)\n/.exec(out) ?? [];
    expect(listed.split(', ')).toEqual(FAULTS.filter((fault) => !fault.needsSecondNode).map(({ name }) => name));
  });

  it('explains every fault', async () => {
    const { out } = await runCommand(['chaos', '--help']);
    for (const { name, about } of FAULTS) expect(out).toMatch(new RegExp(`  ${name}( \\*)? +${about}\n`));
  });

  it('says what is wrong with a target that does not answer, or a port that is taken', async () => {
    const taken = createServer();
    const port = await listenLocally(taken);
    const busy = await runCommand(['chaos', '--target', node.url, '--port', String(port), '--minutes', '0']);
    expect(busy).toMatchObject({ code: 1, err: expect.stringContaining(`The proxy cannot listen on port ${port}.`) });
    taken.close();
    await once(taken, 'close');
    const gone = await runCommand(['chaos', '--target', `http://127.0.0.1:${port}`]);
    expect(gone).toMatchObject({ code: 1, err: expect.stringContaining('does not return a chain id') });
  });

  it.each([
    ['no target', [], /--target is missing/],
    ['a target that is no URL', ['--target', 'ws://node'], /--target must be an http or https URL/],
    ['an unknown fault', ['--faults', 'lag,gremlins'], /--faults: there is no fault "gremlins"/],
    ['a share above one', ['--share', '1.5'], /--share must be a number from 0 to 1/],
    ['a share that is no number', ['--share', 'half'], /--share must be a number/],
    ['a port that is none', ['--port', '65536'], /--port must be a number from 0 to 65535/],
    ['a seed that is none', ['--seed', '-1'], /--seed/],
    ['more than a day', ['--minutes', '1441'], /--minutes must be a number from 0 to 1440/],
  ])('answers %s with exit code 2', async (_what, args, message) => {
    const target = args.includes('--target') || args.length === 0 ? [] : ['--target', node.url];
    const { code, err } = await runCommand(['chaos', ...target, ...args]);
    expect(err).toMatch(message);
    expect(code).toBe(2);
  });
});
