import type { MapDetail } from '@roastery/contract/machine-maps';
import { ChangedMeanwhile } from '../../components/ChangedMeanwhile.tsx';
import { draftOf, type MapDraft } from './map-draft.ts';
import { mergeDrafts } from './map-merge.ts';

interface MapMeanwhileProps {
  base: MapDetail;
  newest: MapDetail;
  own: MapDraft;
  onGoOn: (from: MapDetail, own: MapDraft | null) => void;
}

/** Somebody saved a revision while this one was edited. */
export const MapMeanwhile = ({ base, newest, own, onGoOn }: MapMeanwhileProps) => {
  const { draft, theirs, clashes } = mergeDrafts(draftOf(base.map), draftOf(newest.map), own);
  return (
    <ChangedMeanwhile
      thing="map"
      theirs={theirs}
      clashes={clashes}
      onMerge={() => onGoOn(newest, draft)}
      onDiscard={() => onGoOn(newest, null)}
    />
  );
};
