import javax.persistence.Entity;
import javax.persistence.GeneratedValue;
import javax.persistence.GenerationType;
import javax.persistence.Id;
import javax.persistence.Table;
import javax.persistence.TableGenerator;

/** What LegacyAdopted is after a change of the model. */
@Entity
@Table(name = "legacy")
public class LegacyWithNote {
	@Id
	@GeneratedValue(strategy = GenerationType.TABLE, generator = "legacy")
	@TableGenerator(name = "legacy", schema = "idgen", table = "id_sequences_by_last_id",
		pkColumnValue = "public.legacy.id", allocationSize = 50)
	Long id;

	String item;

	String note;
}
