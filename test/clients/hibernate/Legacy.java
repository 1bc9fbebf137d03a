import javax.persistence.Entity;
import javax.persistence.GeneratedValue;
import javax.persistence.GenerationType;
import javax.persistence.Id;
import javax.persistence.Table;

// docs: legacy
/** Leaves the id to the column default: before and after idgen_adopt. */
@Entity
@Table(name = "legacy")
public class Legacy {
	@Id
	@GeneratedValue(strategy = GenerationType.IDENTITY)
	Long id;

	String item;
}
// docs: end
