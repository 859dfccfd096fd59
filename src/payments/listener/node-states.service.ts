import { Injectable } from '@nestjs/common';
import type { NodeReport } from '../../chains/nodes/node-health.js';
import { Database, rows } from '../../platform/database/database.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ListenerService } from './listener.service.js';
import { forgetOtherNodes, storeNodes } from './node-states.sql.js';

/** Stores the health of the nodes of the chains that this process reads, for staff: the console asks no node. */
@Injectable()
export class NodeStates {
  constructor(
    private readonly database: Database,
    private readonly listeners: ListenerService,
  ) {}

  @RecurringJob({ role: 'listener', every: 10_000 })
  async record(): Promise<void> {
    for (const { chainRef, nodes } of this.listeners.nodeReports()) {
      // Two URLs of one host are one node here: their labels are equal.
      const byLabel = new Map(nodes.map((report, preference) => [report.label, foundNode(report, preference)]));
      await this.database.transaction(async (tx) => {
        await rows(tx, storeNodes(chainRef, [...byLabel.values()]));
        await rows(tx, forgetOtherNodes(chainRef, [...byLabel.keys()]));
      });
    }
  }
}

const foundNode = ({ label, breaker, identity, latencyMs, recent, lastError }: NodeReport, preference: number) => ({
  node: label,
  preference,
  isUp: breaker === 'closed' && identity !== 'foreign',
  isForeign: identity === 'foreign',
  latencyMs,
  recentSteps: recent.steps,
  recentFailures: recent.failures,
  lastError,
});
