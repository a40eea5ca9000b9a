/** The rail at the left: the mark and the five places. */
import { currentTab, PLACES, placeOf } from '../stores/layout-store.ts'
import { useSelected } from '../stores/store.ts'
import { useStores } from '../stores/stores.tsx'
import { chordText } from '../ui/chord.ts'
import { classNames } from '../ui/class-names.ts'
import { Mark } from '../ui/mark.tsx'
import { PLACE_WORDS, placeGlyph } from './places.tsx'
import styles from './rail.module.css'

export function Rail() {
  const { layout } = useStores()
  const current = useSelected(layout, (now) => placeOf(currentTab(now)))
  return (
    <nav className={styles.rail} aria-label="Places" data-region tabIndex={-1}>
      <div className={styles.logo}>
        <Mark size={20} />
        <span className="sr">Plimsoll</span>
      </div>
      {PLACES.map((place, i) => (
        <button
          key={place}
          type="button"
          className={classNames(styles.place, place === 'settings' && styles.last)}
          aria-current={place === current ? 'page' : undefined}
          aria-label={PLACE_WORDS[place]}
          title={`${PLACE_WORDS[place]} (${chordText(`alt+${i + 1}`)})`}
          onClick={() => layout.goTo(place)}
        >
          {placeGlyph(place, 18)}
        </button>
      ))}
    </nav>
  )
}
