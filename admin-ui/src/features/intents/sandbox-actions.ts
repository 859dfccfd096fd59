import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { showFailure, showSuccess } from '../../ui/toasts.ts';

type PlannedPayment = 'exact' | 'under' | 'over' | 'late';

/** Something to make happen. `paysFirst`: the payment that a reorg drops is ordered in the same click. */
export type SandboxAction =
  | { readonly kind: 'pay'; readonly payment: PlannedPayment }
  | { readonly kind: 'custom'; readonly amount: string; readonly token: string }
  | { readonly kind: 'expire' }
  | { readonly kind: 'reorg'; readonly returns: boolean; readonly paysFirst: boolean }
  | { readonly kind: 'mine'; readonly blocks: number };

/** Does one action at a time. `running` is the key of the one that is not answered yet. */
export function useSandboxAction(intentId: string): {
  readonly running: string | null;
  readonly act: (key: string, action: SandboxAction) => Promise<void>;
} {
  const client = useQueryClient();
  const [running, setRunning] = useState<string | null>(null);
  const act = async (key: string, action: SandboxAction): Promise<void> => {
    if (running !== null) return;
    setRunning(key);
    try {
      showSuccess(await send(intentId, action));
    } catch (error) {
      showFailure('The action failed', error);
    } finally {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['intent-controls', intentId] }),
        client.invalidateQueries({ queryKey: ['intent', 'sandbox', intentId] }),
      ]);
      setRunning(null);
    }
  };
  return { running, act };
}

/** Returns what was done, in words. */
async function send(id: string, action: SandboxAction): Promise<string> {
  const params = { path: { environment: 'sandbox' as const, id } };
  switch (action.kind) {
    case 'pay':
    case 'custom': {
      const body =
        action.kind === 'pay'
          ? { payment: action.payment }
          : { payment: 'custom' as const, amount: action.amount, token: action.token };
      await answerOf(api.POST('/admin/api/{environment}/intents/{id}/sandbox/pay', { params, body }));
      return action.kind === 'pay' && action.payment === 'late'
        ? 'The payment follows within seconds of the deadline'
        : 'The payment is on its way';
    }
    case 'expire':
      await answerOf(api.POST('/admin/api/{environment}/intents/{id}/sandbox/expire', { params }));
      return 'The intent expires within seconds';
    case 'reorg': {
      if (action.paysFirst) await send(id, { kind: 'pay', payment: 'exact' });
      const body = { returns: action.returns };
      await answerOf(api.POST('/admin/api/{environment}/intents/{id}/sandbox/reorg', { params, body }));
      return action.returns
        ? 'A reorg dropped the payment. It comes back in a later block.'
        : 'A reorg dropped the payment for good.';
    }
    case 'mine':
      return mine(id, action.blocks);
    default:
      return action satisfies never;
  }
}

async function mine(id: string, blocks: number): Promise<string> {
  const params = { path: { environment: 'sandbox' as const, id } };
  await answerOf(api.POST('/admin/api/{environment}/intents/{id}/sandbox/mine', { params, body: { blocks } }));
  return blocks === 1 ? '1 block was made' : `${blocks} blocks were made`;
}
