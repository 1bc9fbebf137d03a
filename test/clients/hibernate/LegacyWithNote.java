import javax.persistence.Entity;
import javax.persistence.GeneratedValue;
import javax.persistence.GenerationType;
import javax.persistence.Id;
import javax.persistence.Table;

/** What Legacy is after a change of the model. */
@Entity
@Table(name = "legacy")
public class LegacyWithNote {
	@Id
	@GeneratedValue(strategy = GenerationType.IDENTITY)
	Long id;

	String item;

	String note;
}
