import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { anvilBinaryPath } from './compiled.ts';

/** A development chain for the bench, without a miner: blocks come with transactions. */
export interface BenchChain {
  readonly url: string;
  ask<Result>(method: string, ...params: unknown[]): Promise<Result>;
  stop(): Promise<void>;
}

const LISTENING = /Listening on (?<host>\S+)/;

/** Starts anvil under a chain id; the block after next makes a block final. */
export async function startChain(chainId: number): Promise<BenchChain> {
  const args = ['--port', '0', '--chain-id', String(chainId), '--slots-in-an-epoch', '1', '--timestamp', '1700000000'];
  const child = spawn(anvilBinaryPath(), [...args, '--auto-impersonate'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = `http://${await listening(child)}`;
  return {
    url,
    ask: (method, ...params) => askNode(url, method, ...params),
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Calls the node of a development chain. @throws Error with its message. */
export async function askNode<Result>(url: string, method: string, ...params: unknown[]): Promise<Result> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answer: { result?: Result; error?: object } = JSON.parse(await response.text());
  if (answer.result === undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
  return answer.result;
}

async function listening(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('anvil has no output.');
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const host = LISTENING.exec(line)?.groups?.['host'];
    if (host === undefined) continue;
    // Read on, or anvil would stop when the pipe is full.
    child.stdout.resume();
    return host;
  }
  throw new Error('anvil ended before it listened.');
}
