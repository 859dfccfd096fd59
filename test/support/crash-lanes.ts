import type { EvmNetwork } from '../../src/domain/network.js';
import { bundleService, type ServiceBuild } from './service-build.js';

/** What is paid in a lane: a token of a network, or its coin. */
export interface LaneAsset {
  readonly network: EvmNetwork;
  readonly symbol: string;
}

/** An asset, and the failpoints that kill a service which pays it: each start after a kill is armed for the next one. */
export type LanePlan = readonly [network: EvmNetwork, symbol: string, failpoints: readonly string[]];

/** One service through many restarts. */
interface CrashLane<Survival> {
  /** Runs until the armed failpoint kills the service, and restarts it armed for `next`. */
  survive(next: string | null): Promise<Survival>;
  close(): Promise<void>;
}

/** Starts a service that is killed at the failpoint. */
type OpenLane<Survival> = (build: ServiceBuild, asset: LaneAsset, failpoint: string) => Promise<CrashLane<Survival>>;

/** The failpoints of the plans, each as [failpoint, network, symbol]: the rows of a table test. */
export const crashCases = (
  plans: readonly LanePlan[],
): (readonly [failpoint: string, network: EvmNetwork, symbol: string])[] =>
  plans.flatMap(([network, symbol, failpoints]) =>
    failpoints.map((failpoint) => [failpoint, network, symbol] as const),
  );

/** Concurrent lanes, all running from the start; each passes its failpoints one after the other. */
export class CrashLanes<Survival> {
  private readonly lanes: CrashLane<Survival>[] = [];
  private readonly survivals = new Map<string, Promise<Survival>>();

  private constructor(
    private readonly build: ServiceBuild,
    private readonly open: OpenLane<Survival>,
  ) {}

  static async start<Survival>(plans: readonly LanePlan[], open: OpenLane<Survival>): Promise<CrashLanes<Survival>> {
    const lanes = new CrashLanes(await bundleService(), open);
    for (const plan of plans) lanes.run(plan);
    return lanes;
  }

  /** Returns the result of a failpoint. Rejects with its error, or with that of an earlier failpoint of the lane. */
  async survival(asset: LaneAsset, failpoint: string): Promise<Survival> {
    const survival = this.survivals.get(keyOf(asset, failpoint));
    if (survival === undefined) throw new Error(`No lane has the failpoint ${keyOf(asset, failpoint)}.`);
    return survival;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.survivals.values());
    await Promise.all(this.lanes.map((lane) => lane.close()));
  }

  private run([network, symbol, failpoints]: LanePlan): void {
    const asset = { network, symbol };
    const opened = this.open(this.build, asset, failpoints[0] ?? '').then((lane) => {
      this.lanes.push(lane);
      return lane;
    });
    let turn: Promise<unknown> = Promise.resolve();
    failpoints.forEach((failpoint, place) => {
      const survival = turn.then(async () => (await opened).survive(failpoints[place + 1] ?? null));
      // The test that waits for it reports the error.
      turn = survival.catch(() => undefined);
      this.survivals.set(keyOf(asset, failpoint), survival);
    });
  }
}

const keyOf = ({ network, symbol }: LaneAsset, failpoint: string): string => `${network} ${symbol} ${failpoint}`;
