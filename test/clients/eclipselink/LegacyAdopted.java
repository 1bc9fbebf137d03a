import javax.persistence.Entity;
import javax.persistence.GeneratedValue;
import javax.persistence.GenerationType;
import javax.persistence.Id;
import javax.persistence.Table;
import javax.persistence.TableGenerator;

// docs: legacy
/** Once idgen_adopt has moved the column */
@Entity
@Table(name = "legacy")
public class LegacyAdopted {
	@Id
	@GeneratedValue(strategy = GenerationType.TABLE, generator = "legacy")
	@TableGenerator(name = "legacy", schema = "idgen", table = "id_sequences_by_last_id",
		pkColumnValue = "public.legacy.id", allocationSize = 50)
	Long id;

	String item;
}
// docs: end
