import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../devtools/chaos/fault.js';
import { FaultProxy, type Injection } from '../../devtools/chaos/fault-proxy.js';
import { faultNamed } from '../../devtools/chaos/faults.js';
import { ChainUnavailable } from '../../chains/chain.js';
import { liveNetworkOf, NETWORK_PROFILES } from '../../chains/networks.js';
import { parseRpcEndpoint, type RpcEndpoint } from '../../chains/rpc/rpc-endpoint.js';
import { hasErrorCode } from '../../platform/processes.js';
import { CommandFailure, defineCommand, EXIT, type ExitCode, oneOf, required, UsageError } from '../command.js';
import { CHAOS_FAMILIES, type ChaosFamily } from './chaos-families.js';
import { columns, type Terminal } from '../terminal.js';

const SEED_LIMIT = 2 ** 32;
const MS_PER_MINUTE = 60_000;

/** The settings of one rehearsal. */
export interface Rehearsal {
  /** The URL of the node, with its credentials. */
  readonly target: string;
  readonly family: ChaosFamily;
  readonly port: number;
  readonly faults: readonly Fault[];
  readonly seed: number;
  readonly share: number;
  readonly minutes: number;
}

const shownFaults = (faults: readonly Fault[]): string[] =>
  columns(faults.map(({ name, about, needsSecondNode }) => [`  ${name}${needsSecondNode ? ' *' : ''}`, about]));

/** `chaos`. */
export const chaos = defineCommand({
  usage: 'chaos',
  example: 'npx coffer chaos --target https://rpc.sepolia.example --faults lag,429 --seed 7',
  details: [
    'Runs a proxy between the service and a node of a test network that spoils the answers of the node, so that you see',
    'how the service handles them. Nodes of live networks are refused. Exits 1 if a fault did not occur.',
    '',
    'Faults. Those with * need a second, honest URL to be noticed, and run only if you name them:',
    ...shownFaults(CHAOS_FAMILIES.evm.faults),
    '',
    'Faults of --family solana:',
    ...shownFaults(CHAOS_FAMILIES.solana.faults),
    '',
    'Faults of --family tron:',
    ...shownFaults(CHAOS_FAMILIES.tron.faults),
  ].join('\n'),
  options: {
    target: { type: 'string', value: 'URL', about: 'The real node, http or https.' },
    family: {
      type: 'string',
      value: 'NAME',
      default: 'evm',
      about: 'What kind of node it is: evm (default), solana or tron.',
    },
    port: { type: 'string', value: 'N', default: '0', about: 'Where to listen on 127.0.0.1; by default a free port.' },
    faults: { type: 'string', value: 'LIST', about: 'Names separated by commas; by default all without *.' },
    seed: {
      type: 'string',
      value: 'N',
      about: 'Repeats the random choices of an earlier run; by default a new one each time.',
    },
    share: { type: 'string', value: 'PART', default: '0.3', about: 'The share of requests that fail, 0.3 by default.' },
    minutes: { type: 'string', value: 'N', default: '10', about: 'Duration, 10 by default; Ctrl+C ends it earlier.' },
  },
  run: async ({ values }, { terminal }) => {
    const family = familyOf(values.family);
    const rehearsal = {
      target: required(values.target, '--target'),
      family,
      port: numberOf(values.port, '--port', /^\d{1,5}$/, 65_535),
      faults: faultsOf(values.faults, family.faults),
      seed:
        values.seed === undefined ? randomInt(SEED_LIMIT) : numberOf(values.seed, '--seed', /^\d{1,10}$/, SEED_LIMIT),
      share: numberOf(values.share, '--share', /^\d(\.\d{1,4})?$/, 1),
      minutes: numberOf(values.minutes, '--minutes', /^\d{1,4}(\.\d{1,4})?$/, 1_440),
    };
    const interruption = new AbortController();
    const interrupt = (): void => interruption.abort();
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    try {
      return await rehearse(rehearsal, terminal, interruption.signal);
    } finally {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    }
  },
});

/**
 * Runs the proxy until the time is up or `end` is aborted. Prints each fault, and their number at the end.
 * @throws UsageError when the target is no URL or a live chain; CommandFailure when it does not answer.
 */
export async function rehearse(rehearsal: Rehearsal, terminal: Terminal, end: AbortSignal): Promise<ExitCode> {
  const target = targetOf(rehearsal.target);
  const chainId = await chainIdOf(rehearsal);
  const proxy = await startProxy(rehearsal, target, (injection) => terminal.line(lineOf(injection)));
  try {
    for (const line of opening(rehearsal, target, chainId, proxy.url)) terminal.line(line);
    proxy.arm(rehearsal.faults, { share: rehearsal.share });
    await sleep(rehearsal.minutes * MS_PER_MINUTE, undefined, { signal: end }).catch(() => undefined);
    return close(rehearsal, proxy, terminal);
  } finally {
    await proxy.stop();
  }
}

function numberOf(text: string, option: string, form: RegExp, max: number): number {
  const number = form.test(text) ? Number(text) : Infinity;
  if (number > max) throw new UsageError(`${option} must be a number from 0 to ${max}.`);
  return number;
}

function familyOf(name: string): ChaosFamily {
  return CHAOS_FAMILIES[oneOf(['evm', 'solana', 'tron'], name, '--family')];
}

function faultsOf(list: string | undefined, faults: readonly Fault[]): readonly Fault[] {
  if (list === undefined) return faults.filter(({ needsSecondNode }) => needsSecondNode !== true);
  return [...new Set(list.split(','))].map((name) => {
    const fault = faultNamed(name.trim(), faults);
    if (fault === null) throw new UsageError(`--faults: there is no fault "${name}".`);
    return fault;
  });
}

function targetOf(text: string): RpcEndpoint {
  try {
    return parseRpcEndpoint(text);
  } catch {
    throw new UsageError('--target must be an http or https URL.');
  }
}

/** Reads the chain id of the target. @throws UsageError for a live chain, where faults could cost money */
async function chainIdOf({ target, family }: Rehearsal): Promise<string> {
  try {
    const chainId = await family.chainId(target);
    const live = liveNetworkOf(chainId);
    if (live === null) return chainId;
    throw new UsageError(`--target is a node of live ${live} (chain id ${chainId}): only test networks are allowed.`);
  } catch (cause) {
    if (!(cause instanceof ChainUnavailable)) throw cause;
    throw new CommandFailure('The target does not return a chain id.', 'check --target and --family', { cause });
  }
}

async function startProxy(
  { port, seed, family }: Rehearsal,
  { url, headers }: RpcEndpoint,
  onInjection: (injection: Injection) => void,
): Promise<FaultProxy> {
  try {
    return await FaultProxy.start({ target: { url, headers }, format: family.format, seed, port, onInjection });
  } catch (cause) {
    if (!hasErrorCode(cause, 'EADDRINUSE', 'EACCES')) throw cause;
    throw new CommandFailure(`The proxy cannot listen on port ${port}.`, 'use another port, or omit --port', { cause });
  }
}

function opening(
  { faults, seed, share, minutes }: Rehearsal,
  { label }: RpcEndpoint,
  chainId: string,
  url: string,
): string[] {
  const played = NETWORK_PROFILES.find((profile) => profile.environment === 'sandbox' && profile.chainId === chainId);
  const variable = `SANDBOX_${(played?.network ?? '<network>').toUpperCase()}_RPC_URL`;
  return [
    `Spoiling ${share} of the requests to ${label} (chain id ${chainId}) for ${minutes} min with seed ${seed}:`,
    `  ${faults.map(({ name }) => name).join(', ')}`,
    `Start the listener with ${variable}=${url}`,
    ...(played === undefined ? [`Note: this service has no network with the chain id ${chainId}.`] : []),
    '',
  ];
}

/** Formats one fault, such as `#12 lag: eth_getLogs, eth_getBlockByNumber x 3`. */
function lineOf({ request, fault, methods }: Injection): string {
  const asked = [...new Set(methods)].map((method) => {
    const times = methods.filter((other) => other === method).length;
    return times > 1 ? `${method} x ${times}` : method;
  });
  return `#${request} ${fault}: ${asked.join(', ')}`;
}

function close({ faults, seed }: Rehearsal, { hits, requests }: FaultProxy, terminal: Terminal): ExitCode {
  const spoilt = [...hits.values()].reduce((sum, count) => sum + count, 0);
  terminal.line(`\n${requests} requests, ${spoilt} faults, seed ${seed}.`);
  for (const line of columns([...hits].map(([name, count]) => [`  ${name}`, String(count)]))) terminal.line(line);
  const calm = faults.filter(({ name }) => !hits.has(name)).map(({ name }) => name);
  if (calm.length === 0) return EXIT.fine;
  terminal.problem(`Did not occur: ${calm.join(', ')}. This run proves nothing about them.`);
  return EXIT.bad;
}
