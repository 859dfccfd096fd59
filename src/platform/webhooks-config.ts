/** Settings of webhooks. */
export interface WebhooksConfig {
  readonly backoffBaseMs: number;
  readonly timeoutMs: number;
  /** Attempts in flight to one endpoint at a time, over all processes; 0 = no limit. */
  readonly inFlightPerEndpoint: number;
  /** Sandbox endpoints may lie on private addresses; live ones never. */
  readonly allowPrivateTargets: boolean;
  readonly answerRetentionDays: number;
  /** At least as long as answers. */
  readonly attemptRetentionDays: number;
}
