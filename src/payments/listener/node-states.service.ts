import { Injectable } from '@nestjs/common';
import type { NodeReport } from '../../chains/nodes/node-health.js';
import { Database } from '../../platform/database/database.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ListenerService } from './listener.service.js';
import { storeNodes } from './node-states.sql.js';

/** Stores the health of the nodes of the chains that this process reads, for staff: the console asks no node. */
@Injectable()
export class NodeStates {
  constructor(
    private readonly database: Database,
    private readonly listeners: ListenerService,
  ) {}

  @RecurringJob({ role: 'listener', every: 10_000 })
  async record(): Promise<void> {
    const found = this.listeners.nodeReports().flatMap(({ chainRef, nodes }) => {
      // Two URLs of one host are one node here: their labels are equal.
      const byLabel = new Map(nodes.map((report, preference) => [report.label, foundNode(report, preference)]));
      return [...byLabel.values()].map((node) => ({ chainRef, ...node }));
    });
    await this.database.rows(storeNodes(found));
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
