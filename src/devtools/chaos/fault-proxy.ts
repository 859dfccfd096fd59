import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { CallFormat, HttpCall } from './call-format.js';
import type { Delivery, Fault, Lie } from './fault.js';
import { type DrawnFault, type FaultOptions, FaultPlan } from './fault-plan.js';
import { JSON_RPC } from './json-rpc-format.js';
import type { RpcAnswer, RpcRequest } from './rpc-message.js';
import { SeededRandom } from './seeded-random.js';
import { type ChaosTarget, type HttpReply, TrueNode } from './true-node.js';

const badRequest = ({ name }: CallFormat): HttpReply => ({
  status: 400,
  headers: {},
  body: `This is no request in ${name}.\n`,
});

/** A fault that was injected into the answer to a request. */
export interface Injection {
  readonly fault: string;
  /** The number of the request, counted from 1. */
  readonly request: number;
  readonly methods: readonly string[];
}

export interface FaultProxyOptions {
  readonly target: ChaosTarget;
  /** Default: JSON-RPC. */
  readonly format?: CallFormat;
  /** Seed of all random choices: the same requests in the same order get the same faults. */
  readonly seed: number;
  /** 0 (default) = any free port. */
  readonly port?: number;
  /** Called for each fault as it happens. */
  readonly onInjection?: (injection: Injection) => void;
}

/**
 * A local proxy in front of one node that injects faults into its answers. Without faults it passes every byte on.
 *
 * It does not support websockets (refused), formats other than JSON-RPC and that of Tron, faults of transactions (they are passed
 * on, never dropped or repeated), faults of TLS or DNS, and consistency between faults: two of them together may be as
 * absurd as a broken node. It keeps no state of the chain, so a lie costs calls to the real node. The seed repeats the
 * random choices, not their timing.
 */
export class FaultProxy {
  /** The number of calls so far, by method. */
  readonly asked = new Map<string, number>();
  private readonly plan: FaultPlan;
  private readonly format: CallFormat;
  private node: TrueNode;
  private requestCount = 0;

  private constructor(
    private readonly server: Server,
    private readonly options: FaultProxyOptions,
  ) {
    this.plan = new FaultPlan(new SeededRandom(options.seed));
    this.format = options.format ?? JSON_RPC;
    this.node = new TrueNode(options.target, this.format);
    server.on('request', (request, response) => void this.serve(request, response));
    server.on('upgrade', (_request, socket: Duplex) => socket.end('HTTP/1.1 501 Not Implemented\r\n\r\n'));
  }

  /** Listens on 127.0.0.1, without faults. @throws when the port is taken. */
  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const server = createServer();
    const proxy = new FaultProxy(server, options);
    server.listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy does not listen.');
    return `http://127.0.0.1:${address.port}`;
  }

  /** The number of requests so far; a batch is one. */
  get requests(): number {
    return this.requestCount;
  }

  /** The number of answers that each fault has changed so far. */
  get hits(): ReadonlyMap<string, number> {
    return this.plan.hits;
  }

  /** Enables these faults, each from its start, and disables all others. */
  arm(faults: readonly Fault[], options?: FaultOptions): void {
    this.plan.arm(faults, options);
  }

  /** Disables every fault. */
  heal(): void {
    this.plan.arm([]);
  }

  /** Forwards to another node from now on, as after a change of DNS. */
  async redirect(target: ChaosTarget): Promise<void> {
    const former = this.node;
    this.node = new TrueNode(target, this.format);
    await former.close();
  }

  /** Closes every connection and stops. */
  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
    await this.node.close();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const path = this.format.hasPaths ? (request.url ?? '') : '';
      deliver(await this.answer({ path, body: await text(request) }), response);
    } catch {
      // The real node or the client is unreachable, so there is no answer to send.
      response.destroy();
    }
  }

  private async answer(call: HttpCall): Promise<Delivery> {
    const request = this.format.readRequest(call);
    if (request === null) return badRequest(this.format);
    const number = ++this.requestCount;
    for (const { method } of request.questions) this.asked.set(method, (this.asked.get(method) ?? 0) + 1);
    const methods = request.questions.map(({ method }) => method);
    const drawn = this.plan.draw().map((fault) => ({
      ...fault,
      hit: () => {
        const isOn = fault.hit();
        if (isOn) this.options.onInjection?.({ fault: fault.name, request: number, methods });
        return isOn;
      },
    }));
    await delay(drawn);
    const honest = (): Promise<HttpReply> => this.node.forward(call);
    return (await broken(drawn, request, honest)) ?? this.falsified(drawn, request, await honest());
  }

  /** Returns the answer with every drawn fault, or unchanged when none of them changes it. */
  private async falsified(drawn: readonly DrawnFault[], request: RpcRequest, honest: HttpReply): Promise<HttpReply> {
    const truth = this.format.readAnswers(honest.body, request);
    if (truth === null) return honest;
    let answers = truth;
    for (const { active, hit } of drawn) {
      const changed =
        active.kind === 'answer'
          ? await falsifiedAnswers(active.falsify, request, answers, this.node)
          : active.kind === 'envelope'
            ? active.pack(answers)
            : answers;
      if (!isDeepStrictEqual(changed, answers) && hit()) answers = changed;
    }
    return answers === truth ? honest : { ...honest, body: this.format.answerBody(answers, request.isBatch) };
  }
}

async function delay(drawn: readonly DrawnFault[]): Promise<void> {
  for (const { active, hit } of drawn) if (active.kind === 'delay' && hit()) await sleep(active.delayMs());
}

/** Returns the delivery of the first fault that replaces the answer; null when there is none. */
async function broken(
  drawn: readonly DrawnFault[],
  request: RpcRequest,
  honest: () => Promise<HttpReply>,
): Promise<Delivery | null> {
  for (const { active, hit } of drawn) {
    const delivery = active.kind === 'wire' ? await active.send(request, honest) : null;
    if (delivery !== null && hit()) return delivery;
  }
  return null;
}

function falsifiedAnswers(
  falsify: Lie,
  { questions }: RpcRequest,
  answers: readonly RpcAnswer[],
  node: TrueNode,
): Promise<readonly RpcAnswer[]> {
  const falsified = questions.map(async (question, index) => {
    const answer = answers[index];
    if (answer === undefined) throw new Error('A question has no answer.');
    const { id, ...truth } = answer;
    return { id, ...(await falsify(question, truth, node)) };
  });
  return Promise.all(falsified);
}

function deliver(delivery: Delivery, response: ServerResponse): void {
  if (delivery === 'nothing') return;
  if (delivery === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const { status, headers, body } = 'half' in delivery ? delivery.half : delivery;
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...headers, 'content-length': String(length) });
  if ('half' in delivery) response.write(body.slice(0, body.length / 2), () => response.destroy());
  else response.end(body);
}
