import { lazy, Suspense, useEffect, useState } from 'react';
import type { ReplayOrder } from './replay-dialog.tsx';

const ReplayDialog = lazy(async () => ({ default: (await import('./replay-dialog.tsx')).ReplayDialog }));

interface DialogProps {
  readonly order: ReplayOrder | null;
}

/** The dialog, loaded when it is opened for the first time: the first page of the console does without it. */
export function LazyReplayDialog({ order }: DialogProps) {
  const [isWanted, setWanted] = useState(false);
  if (order !== null && !isWanted) setWanted(true);
  return (
    isWanted && (
      <Suspense>
        <OpenedLater order={order} />
      </Suspense>
    )
  );
}

/** Opens it after it is there: it returns the focus only to what had it when it was opened. */
function OpenedLater({ order }: DialogProps) {
  const [shown, setShown] = useState<ReplayOrder | null>(null);
  useEffect(() => setShown(order), [order]);
  return <ReplayDialog order={shown} />;
}
