import { useCallback, useEffect, useState } from 'react';
import { useNavigate } from 'react-router-dom';

/**
 * Leaves a form's page after it was saved. The page is told first (`isLeaving`), so that it no longer counts as dirty
 * when the navigation comes: `<UnsavedChanges dirty={isDirty && !isLeaving} />`.
 */
export const useLeave = (): { isLeaving: boolean; leaveTo: (path: string) => void } => {
  const navigate = useNavigate();
  const [target, setTarget] = useState<string | null>(null);
  useEffect(() => {
    if (target !== null) void navigate(target);
  }, [target, navigate]);
  return { isLeaving: target !== null, leaveTo: useCallback((path: string) => setTarget(path), []) };
};
