import type { components } from '../../api/schema.d.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';

type Shown = Pick<components['schemas']['Endpoint'], 'enabled' | 'disabled_reason' | 'failing_since'>;

/** Whether an endpoint receives, and whether its receiver answers. */
export function EndpointStatus({ endpoint }: { readonly endpoint: Shown }) {
  if (!endpoint.enabled) {
    const word = endpoint.disabled_reason === 'failing' ? 'Disabled after failures' : 'Disabled';
    return <StatusBadge word={word} tone="paused" />;
  }
  return endpoint.failing_since === null ? (
    <StatusBadge word="Enabled" tone="good" />
  ) : (
    <StatusBadge word="Failing" tone="warning" />
  );
}
