import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { onQuestion, type Question } from '../api/proof.ts';
import { sessionQuery } from './session.ts';

const ProofDialog = lazy(async () => ({ default: (await import('./proof-dialog.tsx')).ProofDialog }));

/**
 * The dialogs in which a request waits: for a new sign-in when the session has ended, or for a fresh proof before a
 * dangerous action. They are loaded when the first request needs one.
 */
export function ProofDialogs() {
  const [question, setQuestion] = useState<Question | null>(null);
  useEffect(() => onQuestion(setQuestion), []);
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  if (question === null || session === undefined || session === null) return null;
  return (
    <Suspense>
      <ProofDialog question={question} session={session} />
    </Suspense>
  );
}
