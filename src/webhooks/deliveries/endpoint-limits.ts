import type { WebhooksConfig } from '../../platform/webhooks-config.js';

/** Deliveries in flight in one process. */
export const SLOTS = 512;

/** How many deliveries of a replay job wait at an endpoint, for each that may be in flight. */
const WAITING_FOR_EACH_IN_FLIGHT = 5;

/** The most deliveries of one endpoint at a time, over all processes. */
export interface EndpointLimits {
  readonly inFlight: number;
  /** Of one replay job: those that wait or are in flight. */
  readonly replayed: number;
}

/** Returns the limits of an endpoint. Without a limit, it may have as many in flight as one process. */
export function endpointLimitsOf({ inFlightPerEndpoint }: Pick<WebhooksConfig, 'inFlightPerEndpoint'>): EndpointLimits {
  const inFlight = inFlightPerEndpoint === 0 ? SLOTS : inFlightPerEndpoint;
  return { inFlight, replayed: WAITING_FOR_EACH_IN_FLIGHT * inFlight };
}
